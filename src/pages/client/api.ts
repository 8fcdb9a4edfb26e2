import createClient from 'openapi-fetch';
import { base } from './base.js';
import type { paths } from './generated/api.js';
import { pageHeaders, pageSecret } from './page-secret.js';
import type { ErrorEnvelope } from './types.js';

/** The public REST API, typed by its own document. */
export const api = createClient<paths, 'application/json'>({
  baseUrl: `${location.origin}${base}`,
  headers: { accept: 'application/json' },
  fetch: (request) => early(request) ?? fetch(request, { headers: { ...headersOf(request), ...pageHeaders() } }),
});

const headersOf = ({ headers }: Request): Record<string, string> => Object.fromEntries(headers.entries());

/** An answer that early.ts requested; used once, and not after something has happened since. */
function early({ method, url }: Request): Promise<Response> | undefined {
  if (method !== 'GET' || window.early?.hasMissed) return undefined;
  const answer = window.early?.answers.get(url);
  window.early?.answers.delete(url);
  return answer;
}

/** A refusal of the server, or no answer at all (`unreachable`). */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly status: number,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of an answer. @throws ApiError with the server's message, or `unreachable` */
export async function must<T>(asked: Promise<Answer<T>>): Promise<T> {
  const secret = pageSecret();
  const { data, error, response } = await asked.catch((cause: unknown) => {
    if ((cause as Error).name === 'AbortError') throw cause;
    throw new ApiError('unreachable', 'The server cannot be reached.', '', 0);
  });
  if (response.ok) return data as T;
  // not if somebody has signed in since, in another tab
  if (response.status === 401 && secret === pageSecret()) window.dispatchEvent(new Event('signed-out'));
  const {
    code = 'unknown',
    message = response.statusText,
    hint = '',
    details,
  } = (error ?? {}) as Partial<ErrorEnvelope>;
  throw new ApiError(code, message, hint, response.status, details);
}

interface Wanted {
  /** The media type, where the server has several. */
  accept?: string;
  query?: Record<string, string | undefined>;
}

/** Saves what a GET answers under a name: a link would not send the headers of the page. */
export async function download(path: string, name: string, { accept, query = {} }: Wanted = {}): Promise<void> {
  const address = new URL(location.origin + base + path);
  for (const [field, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(field, value);
  const response = await fetch(address, { headers: { ...pageHeaders(), ...(accept && { accept }) } });
  if (!response.ok) return void (await must(Promise.resolve({ error: (await response.json()) as unknown, response })));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
