import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

type HeaderFields = Record<string, string>;

/** By the port of a server: its local token, where its runs have walls. */
const tokens = new Map<string, string>();

export function rememberToken(url: string, dataDir: string): void {
  const file = path.join(dataDir, 'local-token');
  if (existsSync(file)) tokens.set(new URL(url).port, readFileSync(file, 'utf8').trim());
  else tokens.delete(new URL(url).port);
}

/** A gateway passes on what its callers send. */
export function rememberGateway(url: string, apiUrl: string): void {
  const token = tokenOf(apiUrl);
  if (token !== undefined) tokens.set(new URL(url).port, token);
}

export const tokenOf = (url: string): string | undefined => tokens.get(new URL(url).port);

/** The headers of a caller who is the owner of that server, unless it brings a credential of its own. */
export function asOwner(url: string, headers: HeaderFields = {}): HeaderFields {
  const token = tokenOf(url);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (token === undefined || names.includes('authorization') || names.includes('cookie')) return headers;
  return { ...headers, authorization: `Bearer ${token}` };
}

/** `fetch` as the owner of the server. */
export const fetchAsOwner = (url: string, { headers, ...more }: RequestInit & { headers?: HeaderFields } = {}) =>
  fetch(url, { ...more, headers: asOwner(url, headers) });
