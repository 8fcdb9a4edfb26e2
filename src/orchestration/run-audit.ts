import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Execution } from '../executions/execution.entity.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/** Runs in the audit: who started and stopped them, and the executor that ended. */
@Injectable()
export class RunAudit {
  constructor(
    private readonly audit: AuditService,
    private readonly sessions: SessionsRepository,
  ) {}

  started(tx: Transaction, execution: Execution, executor: string, principal: Principal): Promise<void> {
    return this.record(tx, execution, 'run_started', { executor, run_reason: execution.run_reason }, principal);
  }

  /** A step that follows another one; nobody asked for it anew. */
  async continued(tx: Transaction, execution: Execution): Promise<void> {
    await this.started(
      tx,
      execution,
      await this.sessions.getExecutor(execution.session_id),
      asActor('@taskyard', 'system'),
    );
  }

  stopRequested(tx: Transaction, execution: Execution, force: boolean, principal: Principal): Promise<void> {
    return this.record(tx, execution, 'run_stop_requested', { force }, principal);
  }

  async ended(
    tx: Transaction,
    execution: Execution,
    { status, failure_summary }: Pick<Execution, 'status' | 'failure_summary'>,
  ): Promise<void> {
    const executor = await this.sessions.getExecutor(execution.session_id);
    await this.record(
      tx,
      execution,
      'run_ended',
      { status, run_reason: execution.run_reason, ...(failure_summary ? { failure_summary } : {}) },
      asActor(`@${executor.toLowerCase()}`, 'agent'),
    );
  }

  private record(
    tx: Transaction,
    { id, task_id, project_id, attempt_id }: Execution,
    action: string,
    details: Record<string, unknown>,
    principal: Principal,
  ): Promise<void> {
    return this.audit.record(tx, principal, {
      entity_type: 'execution',
      entity_id: id,
      task_id,
      project_id,
      action,
      details: { attempt_id, ...details },
    });
  }
}
