import { Injectable } from '@nestjs/common';
import { AccessTrail } from '../platform/trail/access-trail.js';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { MAX_LIMIT, type Page, pageLimit } from '../platform/fields/paging.js';
import type { AuditOutput, AuditRowOutput, FollowAuditInput, ListAuditInput } from './audit.dto.js';
import { type AuditFact, AuditRepository, type AuditRow } from './audit.repository.js';

/** Who changed what. Written by the service that changes, whichever surface asked; reads, refusals and no-ops write
 *  none. */
@Injectable()
export class AuditService extends AccessTrail {
  constructor(
    private readonly rows: AuditRepository,
    private readonly broad: BroadReads,
  ) {
    super();
  }

  async record(tx: Transaction, principal: Principal, ...facts: AuditFact[]): Promise<void> {
    await this.rows.insert(tx, { worker: principal.worker, caller: principal.caller, ...principal.actor }, facts);
  }

  async list(input: ListAuditInput, principal: Principal): Promise<AuditOutput> {
    return toOutput(
      await this.broad.read(principal, 'project_id, action or actor', () =>
        this.rows.listAll(principal, input, pageLimit(input.limit)),
      ),
    );
  }

  /** Page by page to the end, without holding a connection in between. */
  async *export(input: ListAuditInput, principal: Principal): AsyncGenerator<AuditRowOutput[]> {
    let cursor: number | null | undefined = input.cursor;
    while (cursor !== null) {
      const page: Page<AuditRow> = await this.rows.listAll(principal, { ...input, cursor }, MAX_LIMIT);
      if (page.count > 0) yield page.rows.map(toRowOutput);
      cursor = page.next_cursor;
    }
  }

  /** Oldest first, as far as every entry has its place: none appears later below the last one. */
  async *follow({ after = 0 }: FollowAuditInput, principal: Principal): AsyncGenerator<AuditRowOutput[]> {
    const upto = await this.rows.findSettled();
    for (let last = after; ;) {
      const rows = await this.rows.listAfter(principal, last, upto, MAX_LIMIT);
      if (rows.length === 0) return;
      yield rows.map(toRowOutput);
      last = Number(rows.at(-1)!.number);
    }
  }

  /** @param days at least 30 @returns how many of the oldest rows went, at most `most` */
  prune(days: number, most: number): Promise<number> {
    return this.rows.prune(days, most);
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
  project_id: row.project_id,
  action: row.action,
  actor_id: row.actor_worker_id,
  actor: row.actor,
  actor_type: row.actor_type,
  caller: row.caller,
  details: row.details,
  created_at: row.created_at.toISOString(),
});
