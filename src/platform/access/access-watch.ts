import type { FastifyRequest } from 'fastify';
import type { AppError } from '../errors/app-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Principal } from './principal.js';

/** Hears who comes in and who is turned away, as often as it happens. Provided by the module that keeps the audit
 *  log, which writes down a bounded part of it. */
export abstract class AccessWatch {
  /** A credential was verified. */
  abstract signedIn(principal: Principal): void;
  /** @param reason never holds the credential */
  abstract refused(address: string, reason: string): void;
  /** A known caller asked for more than it may.
   *  @param operation route or tool, never what it was called with */
  abstract overreached(principal: Principal, code: ErrorCode, operation: string): void;
}

const OVERREACHING: readonly ErrorCode[] = ['insufficient_scope', 'act_as_required'];

/** Whether a refusal is for the rights of its caller, and not for the state of a record. */
export const isOverreaching = (code: string): code is ErrorCode => OVERREACHING.some((one) => one === code);

/** A route refuses. Tools report to their own record of calls. */
export function reportOverreach(watch: AccessWatch, { code }: AppError, request: FastifyRequest): void {
  const { principal, method, routeOptions } = request;
  if (principal && isOverreaching(code)) watch.overreached(principal, code, `${method} ${routeOptions.url ?? ''}`);
}
