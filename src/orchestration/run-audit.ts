import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Execution } from '../executions/execution.entity.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/** Runs in the audit: who started and stopped them, and the executor that ended. Joins the open transaction. */
@Injectable()
export class RunAudit {
  constructor(
    private readonly audit: AuditService,
    private readonly sessions: SessionsRepository,
  ) {}

  started(execution: Execution, executor: string, principal: Principal): Promise<void> {
    return this.record(execution, 'run_started', { executor, run_reason: execution.run_reason }, principal);
  }

  /** A step that follows another one; nobody asked for it anew. */
  async continued(execution: Execution): Promise<void> {
    await this.started(
      execution,
      await this.sessions.getExecutor(execution.session_id),
      asActor('@taskyard', 'system'),
    );
  }

  stopRequested(execution: Execution, force: boolean, principal: Principal): Promise<void> {
    return this.record(execution, 'run_stop_requested', { force }, principal);
  }

  async ended(
    execution: Execution,
    { status, failure_summary }: Pick<Execution, 'status' | 'failure_summary'>,
  ): Promise<void> {
    const executor = await this.sessions.getExecutor(execution.session_id);
    await this.record(
      execution,
      'run_ended',
      { status, run_reason: execution.run_reason, ...(failure_summary ? { failure_summary } : {}) },
      asActor(`@${executor.toLowerCase()}`, 'agent'),
    );
  }

  private record(
    { id, task_id, project_id, attempt_id }: Execution,
    action: string,
    details: Record<string, unknown>,
    principal: Principal,
  ): Promise<void> {
    return this.audit.record(principal, {
      entity_type: 'execution',
      entity_id: id,
      task_id,
      project_id,
      action,
      details: { attempt_id, ...details },
    });
  }
}
