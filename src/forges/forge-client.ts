import { Logger } from '@nestjs/common';
import { FairLimit } from '../git/limits.js';
import { AppError } from '../platform/errors/app-error.js';
import { objectOf, textOf } from './forge-json.js';
import { QuotaWatch } from './quota-watch.js';

const MAX_ENTRIES = 300;
const MAX_CHARACTERS = 262_144;

interface KnownAnswer {
  etag: string;
  text: string;
  headers: Record<string, string>;
}

/** The last answers with an ETag: revalidating them costs the forge little, and nothing of GitHub's quota. */
class ConditionalAnswers {
  private readonly answers = new Map<string, KnownAnswer>();

  of(url: string): KnownAnswer | null {
    return this.answers.get(url) ?? null;
  }

  keep(url: string, { status, headers }: Response, text: string): void {
    const etag = headers.get('etag');
    this.answers.delete(url);
    if (status !== 200 || etag === null || text.length > MAX_CHARACTERS) return;
    const link = headers.get('link');
    this.answers.set(url, { etag, text, headers: link === null ? {} : { link } });
    const [oldest] = this.answers.keys();
    if (this.answers.size > MAX_ENTRIES && oldest !== undefined) this.answers.delete(oldest);
  }
}

const REQUESTS_AT_ONCE = 5;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_PAGES = 50;
const MAX_REDIRECTS = 3;

interface ForgeConnection {
  host: string;
  /** Without a slash at its end. */
  api_url: string;
  /** Read for each request, so that a token can be replaced while the server runs. */
  token: () => string;
  authorization: (token: string) => Record<string, string>;
  timeout_ms: number;
}
interface ForgeRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: object;
  /** Refusals that the adapter understands, besides every 2xx. */
  accept?: readonly number[];
}
interface ForgeAnswer {
  status: number;
  body: unknown;
  /** Address of the next page, as the Link header names it. */
  next: string | null;
}

/** HTTP to one forge: bounded in time, bytes and requests; the token is only sent to its API. */
export class ForgeClient {
  private readonly logger = new Logger(ForgeClient.name);
  private readonly limit = new FairLimit(REQUESTS_AT_ONCE, REQUESTS_AT_ONCE);
  private readonly earlier = new ConditionalAnswers();
  private readonly origin: string;
  readonly quota: QuotaWatch;

  constructor(private readonly connection: ForgeConnection) {
    this.origin = new URL(connection.api_url).origin;
    this.quota = new QuotaWatch(connection.host);
  }

  get host(): string {
    return this.connection.host;
  }

  get apiUrl(): string {
    return this.connection.api_url;
  }

  /** @param path below the API, or a whole address of it
   *  @throws AppError forge_failed, forge_rate_limited, forge_auth_failed, pull_request_not_found */
  send(path: string, request: ForgeRequest = {}): Promise<ForgeAnswer> {
    this.quota.requireRoom();
    const url = /^https?:/.test(path) ? path : this.connection.api_url + path;
    return this.limit.run(this.host, () => this.follow(url, request, 0));
  }

  /** Every page of a list. @param itemsOf where an answer holds its list */
  async all(path: string, itemsOf = (body: unknown): unknown => body, request: ForgeRequest = {}): Promise<unknown[]> {
    const items: unknown[] = [];
    let next: string | null = path;
    for (let page = 0; next !== null && page < MAX_PAGES; page += 1) {
      const answer: ForgeAnswer = await this.send(next, request);
      const found = itemsOf(answer.body);
      if (Array.isArray(found)) items.push(...(found as unknown[]));
      next = answer.next;
    }
    if (next !== null) throw this.failed(`it lists more than ${MAX_PAGES} pages`);
    return items;
  }

  /** A repository that was renamed answers with its new address; no other host is followed. */
  private async follow(url: string, request: ForgeRequest, redirects: number): Promise<ForgeAnswer> {
    if (new URL(url).origin !== this.origin) throw this.failed('it points to another host');
    const method = request.method ?? 'GET';
    const token = this.connection.token();
    const { response, body } = await this.exchange(url, method, request.body, token);
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && response.status !== 304 && location !== null) {
      if (method !== 'GET' || redirects >= MAX_REDIRECTS) throw this.failed('it redirects the request');
      return this.follow(new URL(location, url).href, request, redirects + 1);
    }
    this.quota.note(response, textOf(objectOf(body).message));
    this.requireAccepted(response.status, body, request.accept ?? [], token);
    return { status: response.status, body, next: nextPage(response.headers.get('link')) };
  }

  private async exchange(
    url: string,
    method: string,
    body: object | undefined,
    token: string,
  ): Promise<{ response: Response; body: unknown }> {
    const known = method === 'GET' ? this.earlier.of(url) : null;
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.connection.timeout_ms),
        headers: {
          accept: 'application/json',
          'user-agent': 'taskyard',
          ...this.connection.authorization(token),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(known === null ? {} : { 'if-none-match': known.etag }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await this.readText(response);
      if (response.status === 304 && known !== null)
        return { response: new Response(null, { status: 200, headers: known.headers }), body: JSON.parse(known.text) };
      if (method === 'GET') this.earlier.keep(url, response, text);
      return { response, body: parsed(text) };
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.logger.warn({ err: error, host: this.host, method }, 'a request to a forge broke off');
      throw this.failed(reasonOf(error, this.connection.timeout_ms));
    }
  }

  private async readText({ body }: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw this.failed(`it answered with more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Shows the forge's own words without the token, because a forge may repeat what it was sent. */
  private requireAccepted(status: number, body: unknown, accept: readonly number[], token: string): void {
    if (accept.includes(status)) return;
    const { host } = this;
    const said = saidBy(body).replaceAll(token, '***');
    if (status === 401 || status === 403)
      throw new AppError('forge_auth_failed', { host, reason: said || `HTTP ${status}` });
    if (status === 404)
      throw new AppError('pull_request_not_found', { reason: `${host} shows none to the holder of its token` });
    if (status < 200 || status > 299) throw this.failed(`HTTP ${status}${said && `, ${said}`}`);
    if (body === undefined) throw this.failed('its answer is no JSON');
  }

  failed(reason: string): AppError {
    return new AppError('forge_failed', { host: this.host, reason });
  }
}

/** The words of a refusal: GitHub's and Gitea's `message` and `errors`, GitLab's `message` or `error`. */
export function saidBy(body: unknown): string {
  const { message, error, errors } = objectOf(body);
  const listed = listOf(errors).map((one) => objectOf(one).message ?? one);
  const words = [...listOf(message), ...listOf(error), ...listed].filter((part) => typeof part === 'string');
  return words
    .join('; ')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
    .replace(/\.+$/, '');
}

/** Undefined if it is not JSON; an empty body reads as an empty object. */
function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a refusal is told by its status; anything else is refused as no JSON
  }
}

const nextPage = (link: string | null): string | null => /<([^>]+)>\s*;[^,]*\brel="next"/.exec(link ?? '')?.[1] ?? null;

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1_000} s`;
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  return `the connection failed (${code ?? message ?? 'unknown'})`;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]);
