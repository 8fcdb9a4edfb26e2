import { storableText } from '../../platform/fields/formats.js';
import type { NormalizedEntry } from '../log-entry.js';
import { isObject, type Json } from './json.js';

/** Characters of the text of one entry. */
const MAX_CONTENT_CHARS = 65_536;
const MAX_DETAIL_CHARS = 4_096;
const MAX_DETAIL_ITEMS = 100;
const MAX_DETAIL_DEPTH = 8;

/** A text of at most about so many characters: its start and its end, with a mark between. */
export function cutText(text: string, limit = MAX_CONTENT_CHARS): string {
  if (text.length <= limit) return text;
  const head = Math.floor((limit * 3) / 4);
  const tail = limit - head;
  const left = (text.length - limit).toLocaleString('en-US');
  return storableText(`${text.slice(0, head)}\n… ${left} characters left out …\n${text.slice(-tail)}`);
}

/** Everything in a message as it can be stored, with paths below the working directory made relative to it. */
export function localized<T>(value: T, cwd: string): T {
  const folder = cwd.replace(/[/\\]+$/, '');
  const inside = new RegExp(
    `(?<![\\w.~-])${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/(?=[\\w.@+~-])|(?![\\w.-]))`,
    'g',
  );
  const text = (one: string): string => {
    const clean = storableText(one);
    return folder !== '' && clean.includes(folder)
      ? clean.replace(inside, (found) => (found.endsWith('/') ? '' : '.'))
      : clean;
  };
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return text(one);
    if (Array.isArray(one)) return one.map(walk);
    return isObject(one)
      ? Object.fromEntries(Object.entries(one).map(([name, part]) => [text(name), walk(part)]))
      : one;
  };
  return walk(value) as T;
}

/** An entry that fits into a row, whatever the agent put into it. */
export function bounded(entry: NormalizedEntry): NormalizedEntry {
  const content = cutText(entry.content);
  return entry.metadata === undefined
    ? { ...entry, content }
    : { ...entry, content, metadata: boundedDetails(entry.metadata) };
}

function boundedDetails(details: Json): Json {
  const cut = smaller(details, 0) as Json;
  const json = JSON.stringify(cut);
  return json.length <= MAX_CONTENT_CHARS ? cut : { cut: cutText(json, MAX_DETAIL_CHARS) };
}

function smaller(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cutText(value, MAX_DETAIL_CHARS);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DETAIL_DEPTH) return cutText(JSON.stringify(value), MAX_DETAIL_CHARS);
  if (Array.isArray(value)) return value.slice(0, MAX_DETAIL_ITEMS).map((one) => smaller(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_DETAIL_ITEMS)
      .map(([name, one]) => [name, smaller(one, depth + 1)]),
  );
}
