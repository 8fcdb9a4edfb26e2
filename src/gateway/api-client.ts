import { Logger } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { errorCatalogue, type ErrorCode } from '../platform/errors/error-catalogue.js';
import { isRecord } from '../platform/fields/normalise.js';
import { headersOf } from './api-caller.js';

/** An answer of the API; its text is passed on unread wherever that is possible. */
export interface ApiAnswer { status: number; headers: Headers; text: string }

/** Longer than any wait of the API: long polls end after 30 s, a stop after 15 s. */
export const TIMEOUT_MS = 45_000;

const logger = new Logger('Gateway');

/** The server at TASKFLOW_API_URL. Connections are kept and used again. */
export class ApiClient {
  constructor(private readonly baseUrl: string) {}

  /** @throws AppError api_unavailable */
  get(path: string, caller: Principal, timeoutMs = TIMEOUT_MS): Promise<ApiAnswer> {
    return this.send(path, { method: 'GET', headers: headersOf(caller) }, timeoutMs);
  }

  /** @throws AppError api_unavailable */
  post(path: string, body: unknown, caller: Principal, timeoutMs = TIMEOUT_MS): Promise<ApiAnswer> {
    return this.send(path, { method: 'POST', headers: { ...headersOf(caller), 'content-type': 'application/json' }, body: JSON.stringify(body) }, timeoutMs);
  }

  /** Redirects are not followed: the token is for this address alone. */
  private async send(path: string, request: RequestInit, timeoutMs: number): Promise<ApiAnswer> {
    try {
      const answer = await fetch(this.baseUrl + path, { ...request, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      logger.warn({ err: error, api: this.baseUrl }, 'the API does not answer');
      const reason = (error as Error).name === 'TimeoutError' ? `it did not answer within ${timeoutMs / 1_000} s` : 'it cannot be reached, or the connection broke';
      throw new AppError('api_unavailable', { reason });
    }
  }
}

/** What an answer that is not the asked one stands for: a refusal of the API in its own code, or else no API of ours. */
export function refusalIn({ status, text }: ApiAnswer): AppError {
  const envelope = parseJson(text);
  if (status >= 400 && isRecord(envelope) && isErrorCode(envelope.code)) return new AppError(envelope.code, isRecord(envelope.details) ? envelope.details : {});
  return new AppError('api_unavailable', { reason: `what answers there (HTTP ${status}) is not Taskyard` });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
