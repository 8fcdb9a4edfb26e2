import type { FastifyReply } from 'fastify';

interface Words {
  title: string;
  words: string;
  /** Where to go on. */
  next: { words: string; address: string };
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A page in words, for what happens before the page itself is there. @param style the link to its style sheet */
export const sendWords = (reply: FastifyReply, style: string, { title, words, next }: Words): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(title)} – Taskyard</title>
    ${style}
  </head>
  <body>
    <main class="sign-in">
      <div class="card">
      <h1>${escaped(title)}</h1>
      <p>${escaped(words)}</p>
      <p><a class="button primary" href="${escaped(next.address)}">${escaped(next.words)}</a></p>
      </div>
    </main>
  </body>
</html>
`);
