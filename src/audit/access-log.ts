import { Injectable, Logger } from '@nestjs/common';
import { AccessWatch } from '../platform/access/access-watch.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { AuditService } from './audit.service.js';
import type { AuditFact } from './audit.repository.js';

const SIGN_IN_EVERY_MS = 3_600_000;
const REFUSAL_EVERY_MS = 60_000;
/** Maximum credentials, addresses and callers remembered; a forgotten one is recorded again. */
const MAX_REMEMBERED = 10_000;
/** Maximum rows of refusals a minute, over all callers. */
const MAX_REFUSALS = 60;

/** Records sign-ins, once an hour per credential, and refusals, once a minute per address and right; the next row
 *  counts those left out. Requests do not wait for it. */
@Injectable()
export class AccessLog extends AccessWatch {
  private readonly logger = new Logger('Access');
  private readonly signIns = new Map<string, number>();
  private readonly refusals = new Map<string, number>();
  private minute = { endsAt: 0, rows: 0 };
  private leftOut = 0;

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
  ) {
    super();
  }

  signedIn(principal: Principal): void {
    const { kind, name, credential } = principal;
    if (credential === null || !isDue(this.signIns, credential.id, SIGN_IN_EVERY_MS)) return;
    this.write(principal, { ...OF_CALLER, action: 'signed_in', details: { kind, name, token_id: credential.id } });
  }

  refused(address: string, reason: string): void {
    this.refuse(asActor('@stranger', 'system'), address, { address, reason });
  }

  overreached(principal: Principal, code: ErrorCode, operation: string): void {
    this.refuse(principal, `${principal.id} ${code}`, { reason: code, operation });
  }

  private refuse(principal: Principal, key: string, details: AuditFact['details']): void {
    if (!this.hasRoom() || !isDue(this.refusals, key, REFUSAL_EVERY_MS)) {
      this.leftOut += 1;
      return;
    }
    const left_out = this.leftOut;
    this.leftOut = 0;
    this.minute.rows += 1;
    this.write(principal, { ...OF_CALLER, action: 'refused', details: { ...details, left_out } });
  }

  private hasRoom(): boolean {
    if (performance.now() >= this.minute.endsAt) this.minute = { endsAt: performance.now() + 60_000, rows: 0 };
    return this.minute.rows < MAX_REFUSALS;
  }

  private write(principal: Principal, fact: AuditFact): void {
    this.database
      .transaction((tx) => this.audit.record(tx, principal, fact))
      .catch((error: unknown) => this.logger.warn({ err: error }, 'access was not written to the audit log'));
  }
}

const OF_CALLER = { entity_type: 'caller', entity_id: null } as const;

/** Whether the key was not seen for so long; marks it as seen. */
function isDue(seen: Map<string, number>, key: string, everyMs: number): boolean {
  const last = seen.get(key);
  if (last !== undefined && performance.now() - last < everyMs) return false;
  seen.delete(key); // so that the oldest come first
  seen.set(key, performance.now());
  const [oldest] = seen.keys();
  if (seen.size > MAX_REMEMBERED && oldest !== undefined) seen.delete(oldest);
  return true;
}
