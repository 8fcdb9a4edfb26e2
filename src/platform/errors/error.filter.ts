import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from './app-error.js';
import type { ErrorCode } from './error-catalogue.js';
import { restNames, toEnvelope } from './error-envelope.js';
import { toAppError } from './to-app-error.js';

/** Faults of the framework before a route is reached, by fastify's code or HTTP status. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large', FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_body', FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  400: 'malformed_body', 404: 'route_not_found', 413: 'payload_too_large', 415: 'unsupported_media_type', 429: 'rate_limited',
};

/** Every refusal over REST leaves here as the one envelope; the unknown is logged once and tells nothing. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(private readonly maxBodyBytes: number) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) return;
    const refused = toAppError(error) ?? this.fromFramework(error, request) ?? this.unknown(error, request);
    if (refused.row.status === 401) void reply.header('www-authenticate', 'Bearer');
    if (refused.code === 'method_not_allowed') void reply.header('allow', 'POST');
    void reply.status(refused.row.status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(toEnvelope(refused, restNames)));
  }

  private fromFramework(error: unknown, request: FastifyRequest): AppError | null {
    const { code = '', statusCode } = error as { code?: string; statusCode?: number };
    const status = error instanceof HttpException ? error.getStatus() : (statusCode ?? 0);
    const known = frameworkCodes[code] ?? frameworkCodes[status];
    return known ? new AppError(known, { method: request.method, path: request.url.split('?', 1)[0].slice(0, 200), limit_bytes: this.maxBodyBytes, retry_after_secs: 60 }) : null;
  }

  private unknown(error: unknown, request: FastifyRequest): AppError {
    this.logger.error({ err: error, request_id: request.id }, 'unexpected error');
    return new AppError('internal_error', { request_id: request.id });
  }
}
