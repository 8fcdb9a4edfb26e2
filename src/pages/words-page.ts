import type { FastifyReply } from 'fastify';

interface Way {
  words: string;
  address: string;
}
interface Words {
  title: string;
  words: string;
  /** Where to go on, the best first. */
  ways: Way[];
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const link = ({ words, address }: Way, index: number): string =>
  `<a class="button${index === 0 ? ' primary' : ''}" href="${escaped(address)}">${escaped(words)}</a>`;

/** A page in words, for what happens before the page itself is there. @param links to its icon and style sheet */
export const sendWords = (reply: FastifyReply, links: string, { title, words, ways }: Words): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(title)} – Taskyard</title>
    ${links}
  </head>
  <body>
    <main class="sign-in">
      <div class="card">
      <h1>${escaped(title)}</h1>
      <p>${escaped(words)}</p>
      <p>${ways.map(link).join('\n      ')}</p>
      </div>
    </main>
  </body>
</html>
`);
