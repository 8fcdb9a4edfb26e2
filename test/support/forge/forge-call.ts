import type { ForgeRepository, TestPull } from './forge-repository.js';

/** One request to the API of a test forge, and how it is answered. */
export interface ForgeCall {
  method: string;
  /** Below the prefix of the API, decoded. */
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}
export interface Answer {
  status: number;
  body?: unknown;
  /** A list that may have more pages than one. */
  items?: readonly unknown[];
  /** How the items stand in the body, where they are not the whole. */
  wrap?: (items: readonly unknown[]) => unknown;
}

/** What the words of one forge are given. */
export interface ForgeWorld {
  /** Its address, without a slash at its end. */
  url: string;
  /** Who the token belongs to. */
  user: string;
  repository(full_name: string): ForgeRepository | undefined;
  /** Says to its webhooks what happened. */
  happened(event: string, repository: ForgeRepository, pull: TestPull): void;
}
export type Words = (world: ForgeWorld, call: ForgeCall) => Answer;

export const ok = (body: unknown, status = 200): Answer => ({ status, body });
export const refuse = (status: number, message: string, more: object = {}): Answer => ({
  status,
  body: { message, ...more },
});

/** Calls the first of the routes that fits. Names in braces match one part of the path, `{+name}` any number. */
export function routed(call: ForgeCall, routes: Record<string, (parts: Record<string, string>) => Answer>): Answer {
  for (const [route, work] of Object.entries(routes)) {
    const [method, pattern = ''] = route.split(' ');
    const source = pattern.replace(/\{(\+?)(\w+)\}/g, (_, many: string, name: string) =>
      many ? `(?<${name}>.+?)` : `(?<${name}>[^/]+)`,
    );
    const match = method === call.method ? new RegExp(`^${source}$`).exec(call.path) : null;
    if (match) return work(match.groups ?? {});
  }
  return refuse(404, 'Not Found');
}
