import { storableText } from '../platform/fields/storable.js';

/** What PostgreSQL's jsonb refuses: NUL and lone surrogates, written as escapes by JSON.stringify. */
const REFUSED = /\\u(0000|d[89a-f][0-9a-f]{2})/i;

/** JSON that jsonb accepts; refused characters become U+FFFD, never a lost entry. */
export function toJsonbText(value: unknown): string {
  const text = JSON.stringify(value);
  return REFUSED.test(text) ? JSON.stringify(clean(value)) : text;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), clean(item)]));
}
