import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { type Page, pageLimit } from '../platform/fields/paging.js';
import type { AuditOutput, AuditRowOutput } from './audit.dto.js';
import { type AuditFact, AuditRepository, type AuditRow } from './audit.repository.js';

/** Who changed what. Written by the service that changes, whichever surface asked; reads, refusals and no-ops write
 *  none. */
@Injectable()
export class AuditService {
  constructor(private readonly rows: AuditRepository) {}

  async record(tx: Transaction, principal: Principal, ...facts: AuditFact[]): Promise<void> {
    await this.rows.insert(tx, { worker: principal.worker, ...principal.actor }, facts);
  }

  async ofTask(task_id: string, page: { limit?: number; cursor?: number }): Promise<AuditOutput> {
    return toOutput(await this.rows.listOfTask(task_id, pageLimit(page.limit), page.cursor));
  }

  async ofProject(project_id: string, page: { limit?: number; cursor?: number }): Promise<AuditOutput> {
    return toOutput(await this.rows.listOfProject(project_id, pageLimit(page.limit), page.cursor));
  }
}

const toOutput = ({ rows, ...page }: Page<AuditRow>): AuditOutput => ({ entries: rows.map(toRowOutput), ...page });

const toRowOutput = (row: AuditRow): AuditRowOutput => ({
  number: Number(row.number),
  entity_type: row.entity_type,
  entity_id: row.entity_id,
  action: row.action,
  actor_id: row.actor_worker_id,
  actor: row.actor,
  actor_type: row.actor_type,
  details: row.details,
  created_at: row.created_at.toISOString(),
});
