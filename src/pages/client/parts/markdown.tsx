import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { type ComponentChildren, h } from 'preact';
import { useMemo } from 'preact/hooks';

/** Text of an agent, which is hostile: it becomes elements that are named here, never HTML. */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => new Lexer({ gfm: true, breaks: true }).lex(text), [text]);
  return <div class="markdown">{all(tokens)}</div>;
}

const all = (tokens: Token[]): ComponentChildren => tokens.map((token) => drawn(token as MarkedToken));

function drawn(token: MarkedToken): ComponentChildren {
  const draw = DRAWN[token.type] as ((token: MarkedToken) => ComponentChildren) | undefined;
  return draw?.(token);
}

const around =
  (name: string) =>
  ({ tokens }: { tokens: Token[] }) =>
    h(name, null, all(tokens));

/** Where a page has its own headings of the first two levels, those of a text come below. */
const LEVELS_ABOVE = 2;

/** Types without a row have no words. */
const DRAWN: { [Type in MarkedToken['type']]?: (token: Extract<MarkedToken, { type: Type }>) => ComponentChildren } = {
  paragraph: around('p'),
  blockquote: around('blockquote'),
  strong: around('strong'),
  em: around('em'),
  del: around('del'),
  list_item: around('li'),
  heading: ({ depth, tokens }) => h(`h${Math.min(depth + LEVELS_ABOVE, 6)}`, null, all(tokens)),
  list: ({ ordered, start, items }) => h(ordered ? 'ol' : 'ul', { start: start || undefined }, all(items)),
  checkbox: ({ checked }) => (
    <input type="checkbox" disabled checked={checked} aria-label={checked ? 'Done' : 'Open'} />
  ),
  table: (table) => <Table table={table} />,
  link: ({ autolink, href, tokens }) => outwards(autolink ? href : plain(href), all(tokens)),
  // not fetched: its address would reveal that the answer was read
  image: ({ href, text }) => outwards(plain(href), plain(text) || 'Image'),
  code: ({ text }) => (
    <pre>
      <code>{text}</code>
    </pre>
  ),
  codespan: ({ text }) => <code>{text}</code>,
  br: () => <br />,
  hr: () => <hr />,
  html: ({ text, block }) => markup(text, block),
  text: ({ text, tokens }) => (tokens ? all(tokens) : plain(text)),
  escape: ({ text }) => text,
};

/** A relative address leads nowhere from here. */
const outwards = (address: string, words: ComponentChildren) =>
  /^https?:/i.test(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {words}
    </a>
  ) : (
    words
  );

/** HTML is shown as it was written, but for what has no words. */
function markup(text: string, isBlock: boolean): ComponentChildren {
  if (/^<br\s*\/?>$/i.test(text.trim())) return <br />;
  const shown = text.replace(/<!--.*?-->/gs, '').trim();
  return isBlock && shown !== '' ? <pre>{shown}</pre> : shown;
}

const Table = ({ table: { header, rows } }: { table: Tokens.Table }) => (
  <table>
    <thead>
      <tr>
        {header.map(({ tokens }) => (
          <th scope="col">{all(tokens)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr>
          {row.map(({ tokens }) => (
            <td>{all(tokens)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const decoder = document.createElement('textarea');

/** With its character references resolved; within this element nothing else is read. */
function plain(text: string): string {
  if (!text.includes('&')) return text;
  decoder.innerHTML = text.replaceAll('<', '&lt;');
  return decoder.value;
}
