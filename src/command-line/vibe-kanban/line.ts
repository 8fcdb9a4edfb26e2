import type { Value } from './source-database.js';

export const SYSTEM = 'vibe-kanban';

/** A line of an export; the server checks what it holds. */
export type Line = Record<string, unknown>;

export const refTo = (id: Value): object => ({ external_id: String(id) });

export const textOf = (value: Value): string => (value === null ? '' : String(value));

/** In RFC 3339; those that are not told are left out. Until they had a zone, times were in UTC. */
export function timesOf(times: Record<string, Value>): Record<string, string> {
  const read = Object.entries(times).map(([name, value]): [string, Date] => {
    const text = textOf(value).replace(' ', 'T');
    return [name, new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)];
  });
  const told = read.filter(([, time]) => !Number.isNaN(time.getTime()));
  return Object.fromEntries(told.map(([name, time]) => [name, time.toISOString()]));
}

export function grouped<Row extends Record<Key, Value>, Key extends string>(rows: Row[], key: Key): Map<Value, Row[]> {
  const groups = new Map<Value, Row[]>();
  for (const row of rows) {
    const group = groups.get(row[key]);
    if (group) group.push(row);
    else groups.set(row[key], [row]);
  }
  return groups;
}
