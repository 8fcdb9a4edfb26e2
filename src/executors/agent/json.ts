/** Readers for untrusted messages of agents, which return something usable for every shape. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** The JSON object a line holds, or null. */
export function parseObject(line: string): Json | null {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null; // the caller logs the line as it is
  }
}
