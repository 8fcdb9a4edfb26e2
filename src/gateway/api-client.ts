import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import '../error-catalogue.js';
import { errorCatalogue, type ErrorCode } from '../platform/errors/error-catalogue.js';
import { isRecord } from '../platform/fields/normalise.js';

/** A caller of the gateway. The API identifies and authorises it by these headers. */
export interface ApiCaller extends Principal {
  readonly headers: Readonly<Record<string, string>>;
}

/** @param headers undefined ones are not sent */
export function apiCaller(headers: Readonly<Record<string, string | undefined>>): ApiCaller {
  const given = Object.entries(headers).filter((header): header is [string, string] => Boolean(header[1]));
  return { ...localOwner, id: 'api-caller', headers: Object.fromEntries(given) };
}

const headersOf = (principal: Principal): Readonly<Record<string, string>> =>
  isApiCaller(principal) ? principal.headers : {};

const isApiCaller = (principal: Principal): principal is ApiCaller => 'headers' in principal;

/** An answer of the API; its text is passed on unread where possible. */
interface ApiAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Longer than any wait in the API: long polls end after 30 s, a stop after 15 s. */
export const TIMEOUT_MS = 45_000;

const logger = new Logger('Gateway');

/** The server at TASKFLOW_API_URL, over kept-alive connections. node:http, because `fetch` costs three times as much
 *  and follows redirects, which would carry the token elsewhere. */
export class ApiClient {
  private readonly transport: typeof http | typeof https;
  private readonly agent: http.Agent;

  constructor(private readonly baseUrl: string) {
    this.transport = baseUrl.startsWith('https:') ? https : http;
    this.agent = new this.transport.Agent({ keepAlive: true });
  }

  /** @throws AppError api_unavailable */
  get(path: string, caller: Principal, timeoutMs = TIMEOUT_MS): Promise<ApiAnswer> {
    return this.send(path, { method: 'GET', headers: headersOf(caller) }, '', timeoutMs);
  }

  /** @throws AppError api_unavailable */
  post(path: string, body: unknown, caller: Principal, timeoutMs = TIMEOUT_MS): Promise<ApiAnswer> {
    return this.send(
      path,
      { method: 'POST', headers: { ...headersOf(caller), 'content-type': 'application/json' } },
      JSON.stringify(body),
      timeoutMs,
    );
  }

  private async send(path: string, options: http.RequestOptions, body: string, timeoutMs: number): Promise<ApiAnswer> {
    let reason = 'it is unreachable, or the connection was lost';
    const request = this.transport.request(this.baseUrl + path, { ...options, agent: this.agent });
    request.on('error', () => undefined); // `once` and `text` below reject with the same error
    const timer = setTimeout(() => {
      reason = `it did not respond within ${timeoutMs / 1_000} s`;
      request.destroy();
    }, timeoutMs);
    try {
      const [answer] = (await once(request.end(body), 'response')) as [IncomingMessage];
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
    } catch (error) {
      logger.warn({ err: error, api: this.baseUrl }, 'the API does not respond');
      throw new AppError('api_unavailable', { reason });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Interprets an unexpected answer: a refusal of the API, or something that is not our API. */
export function refusalIn({ status, text: content }: ApiAnswer): AppError {
  const envelope = parseJson(content);
  if (status >= 400 && isRecord(envelope) && isErrorCode(envelope.code))
    return new AppError(envelope.code, factsOf(isRecord(envelope.details) ? envelope.details : {}));
  return new AppError('api_unavailable', { reason: `the response (HTTP ${status}) is not from Taskyard` });
}

/** Without what is said over REST alone: the next request is no call of a tool. */
const factsOf = ({ next: _, http_request_id: __, ...facts }: Record<string, unknown>): Record<string, unknown> => facts;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: callers then answer that it is not Taskyard
  }
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
