import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from './app-error.js';
import { nextRequest } from './next-request.js';
import { toRestEnvelope } from './people.js';
import { toAppError } from './to-app-error.js';

/** Finds the request in the log. */
export const REQUEST_ID = 'x-request-id';

type Refusal = (request: FastifyRequest, limit_bytes: number) => AppError;
const malformed: Refusal = () => new AppError('malformed_body');
const tooLarge: Refusal = (_, limit_bytes) => new AppError('payload_too_large', { limit_bytes });
const wrongMedia: Refusal = () => new AppError('unsupported_media_type');
const notFound: Refusal = ({ method, url }) =>
  new AppError('route_not_found', { method, path: url.replace(/\?.*$/s, '').slice(0, 200) });
const tooMany: Refusal = () => new AppError('rate_limited', { retry_after_secs: 60 });

/** Faults of the framework before a route is reached, by fastify's code or HTTP status. */
const frameworkRefusals: Record<string, Refusal> = {
  FST_ERR_BAD_URL: notFound,
  400: malformed,
  403: notFound,
  404: notFound,
  413: tooLarge,
  414: notFound,
  415: wrongMedia,
  429: tooMany,
};

/** Every REST refusal gets the common envelope here; an unknown error is logged once and reveals nothing. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  /** @param onRefusal called with each refusal before it is answered */
  constructor(
    private readonly maxBodyBytes: number,
    private readonly onRefusal: (refused: AppError, request: FastifyRequest) => void = () => undefined,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) return;
    const refused = toAppError(error) ?? this.fromFramework(error, request) ?? this.unknown(error, request);
    this.onRefusal(refused, request);
    const { retry_after_secs, scope } = refused.details;
    if (refused.row.status === 401) challenge(reply);
    if (refused.code === 'insufficient_scope') challenge(reply, String(scope));
    if (typeof retry_after_secs === 'number') void reply.header('retry-after', String(retry_after_secs));
    if (refused.code === 'method_not_allowed') void reply.header('allow', 'POST');
    const next = nextRequest(refused, { ...asRecord(request.body), ...asRecord(request.params) });
    void reply
      .status(refused.row.status)
      .header('content-type', 'application/json; charset=utf-8')
      .header(REQUEST_ID, request.id)
      .send(JSON.stringify(toRestEnvelope(refused, request, { next, http_request_id: request.id })));
  }

  private fromFramework(error: unknown, request: FastifyRequest): AppError | null {
    const { code = '', statusCode } = error as { code?: string; statusCode?: number };
    const status = error instanceof HttpException ? error.getStatus() : (statusCode ?? 0);
    const refuse = frameworkRefusals[code] ?? frameworkRefusals[status];
    return refuse ? refuse(request, this.maxBodyBytes) : null;
  }

  private unknown(error: unknown, request: FastifyRequest): AppError {
    this.logger.error({ err: error, request_id: request.id }, 'unexpected error');
    return new AppError('internal_error', { request_id: request.id });
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** How a refusal asks for another token (RFC 6750): one at all, or one with the scope that is missing. */
export function challenge(reply: FastifyReply, missing?: string): void {
  const fields = missing === undefined ? '' : ` error="insufficient_scope", scope="${missing}"`;
  void reply.header('www-authenticate', `Bearer${fields}`);
}
