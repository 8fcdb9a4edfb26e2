import type { Json } from './mcp-client.js';

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What turns one document into the other, as RFC 7396 writes it: null stands for what is gone. Undefined where they
 *  are the same. */
export function mergePatch(from: unknown, to: unknown): unknown {
  if (!isRecord(from) || !isRecord(to)) return JSON.stringify(from) === JSON.stringify(to) ? undefined : to;
  const gone = Object.keys(from).filter((key) => !(key in to));
  const changed = Object.keys(to)
    .map((key) => [key, mergePatch(from[key], to[key])] as const)
    .filter(([, patch]) => patch !== undefined);
  if (gone.length + changed.length === 0) return undefined;
  return Object.fromEntries([...gone.map((key) => [key, null]), ...changed]);
}
