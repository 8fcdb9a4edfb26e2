/** What a part of a line is, as far as it is coloured. */
type Kind = '' | 'comment' | 'keyword' | 'string' | 'number' | 'name' | 'type' | 'attribute';

/** Parts of a line: so many characters of a kind. They add up to the line. */
export type Span = [kind: Kind, length: number];

const PART = /<span class="hljs-([\w-]+)[^>]*>|<span[^>]*>|<\/span>|\n|[^<\n]+/g;
const ENTITY = /&#?\w+;/g;

/** The lines of what highlight.js has marked up; text is not needed again, its length is. */
export function spansOf(html: string): Span[][] {
  const lines: Span[][] = [[]];
  const within: Kind[] = [''];
  for (const [part, scope] of html.matchAll(PART)) {
    if (part === '\n') lines.push([]);
    else if (part === '</span>') within.pop();
    else if (part.startsWith('<')) within.push(KINDS[scope ?? ''] ?? '');
    else append(lines.at(-1)!, within.at(-1)!, part.replace(ENTITY, '.').length);
  }
  return lines;
}

function append(line: Span[], kind: Kind, length: number): void {
  const last = line.at(-1);
  if (last?.[0] === kind) last[1] += length;
  else line.push([kind, length]);
}

/** By the names of highlight.js; others, such as what stands in a template, are plain. */
const KINDS: Readonly<Record<string, Kind>> = {
  ...all('comment', 'comment', 'quote', 'doctag'),
  ...all('keyword', 'keyword', 'meta', 'bullet', 'selector-pseudo', 'operator'),
  ...all('string', 'string', 'regexp', 'char', 'code', 'link'),
  ...all('number', 'number', 'literal', 'symbol'),
  ...all('name', 'title', 'section', 'name', 'selector-tag', 'selector-class', 'selector-id'),
  ...all('type', 'type', 'built_in', 'class'),
  ...all('attribute', 'attr', 'attribute', 'property', 'variable', 'template-variable', 'selector-attr'),
};

function all(kind: Kind, ...scopes: string[]): Record<string, Kind> {
  return Object.fromEntries(scopes.map((scope) => [scope, kind]));
}
