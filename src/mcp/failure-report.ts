import { Logger } from '@nestjs/common';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';

const logger = new Logger('Mcp');

/** The refusal an error stands for. What nobody expected is logged once; the caller gets only the id to find it by. */
export function asRefusal(error: unknown, call_id: string, what: string): AppError {
  const known = toAppError(error);
  if (known) return known;
  logger.error({ err: error, call_id }, `${what} failed`);
  return new AppError('internal_error', { request_id: call_id });
}
