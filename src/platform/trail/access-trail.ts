import type { Transaction } from '../database/database.js';
import type { Principal } from '../access/principal.js';

/** What happened to a credential, or to a caller. */
export interface AccessFact {
  entity_type: 'token' | 'caller';
  entity_id: string | null;
  project_id?: string | null;
  action: string;
  details: Record<string, unknown>;
}

/** Where access is written down. Provided by the module that keeps the audit log. */
export abstract class AccessTrail {
  abstract record(tx: Transaction, principal: Principal, ...facts: AccessFact[]): Promise<void>;
}
