import type { FastifyRequest } from 'fastify';
import type { AppError } from '../errors/app-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Principal } from './principal.js';

/** Notified of every accepted and refused credential. Provided by the audit module, which records a bounded part. */
export abstract class AccessWatch {
  /** A credential was verified. */
  abstract signedIn(principal: Principal): void;
  /** @param reason never holds the credential */
  abstract refused(address: string, reason: string): void;
  /** A known caller asked for more than it is allowed.
   *  @param operation route or tool, never what it was called with */
  abstract overreached(principal: Principal, code: ErrorCode, operation: string): void;
}

const OVERREACHING: readonly ErrorCode[] = ['insufficient_scope', 'act_as_required'];

/** Whether a refusal concerns the caller's rights rather than the state of a record. */
export const isOverreaching = (code: string): code is ErrorCode => OVERREACHING.some((one) => one === code);

/** Only for routes: refusals of tools are in the log of tool calls. */
export function reportOverreach(watch: AccessWatch, { code }: AppError, request: FastifyRequest): void {
  const { principal, method, routeOptions } = request;
  if (principal && isOverreaching(code)) watch.overreached(principal, code, `${method} ${routeOptions.url ?? ''}`);
}
