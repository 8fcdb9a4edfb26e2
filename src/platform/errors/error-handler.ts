import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorFilter } from './error.filter.js';

/** The error filter for routes that Nest does not know: the same envelopes. */
export function errorHandler(
  maxBodyBytes: number,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  const filter = new ErrorFilter(maxBodyBytes);
  return (error, request, reply) => filter.catch(error, new ExecutionContextHost([request, reply]));
}
