import { hash } from 'node:crypto';

/** SHA-256 of the canonical JSON (sorted keys, absent fields left out) of the whole effective payload. */
export function requestHash(payload: unknown): string {
  return hash('sha256', canonical(payload), 'hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
