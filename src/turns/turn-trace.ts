import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { AuditService } from '../audit/audit.service.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import type { UsageOutput } from '../executors/usage.dto.js';
import { LogRepository } from '../executions/log.repository.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import type { Transaction } from '../platform/database/database.js';
import { agentCost, agentTokens, executionsEnded, queueWait } from '../platform/telemetry/metrics.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { stopKey } from './active-turns.js';

/** Says that an agent has had its turns that was asked to resolve an update. */
export const RESOLVED_KEY = 'updates:resolved';

/** Writes the consequences of a turn's transitions: events, audit, log, and the end of open approval requests. */
@Injectable()
export class TurnTrace {
  constructor(
    private readonly audit: AuditService,
    private readonly events: AttemptEvents,
    private readonly approvals: ApprovalsService,
    private readonly logRows: LogRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly hub: ChangeHub,
  ) {}

  async turnBegan(tx: Transaction, execution: TurnExecution, executor: string, principal: Principal): Promise<void> {
    if (execution.run_reason !== 'review') await this.events.turn(tx, execution, 'started', executor);
    await this.began(tx, execution, executor, principal);
  }

  /** @param end of its last execution */
  async turnEnded(tx: Transaction, execution: TurnExecution, end: ExecutionEnd): Promise<void> {
    if (execution.run_reason === 'check') return this.hub.announce(tx, execution.attempt_id); // told as checks
    const executor = await this.sessionRows.getExecutor(execution.session_id);
    if (execution.run_reason !== 'review') await this.events.turn(tx, { ...execution, ...end }, end.status, executor);
    if (end.status === 'killed') await this.hub.announce(tx, execution.attempt_id); // whoever stopped it waits
  }

  /** A further execution of the same turn. */
  async continued(tx: Transaction, execution: TurnExecution): Promise<void> {
    const executor = await this.sessionRows.getExecutor(execution.session_id);
    await this.began(tx, execution, executor, asActor('@taskyard', 'system'));
  }

  /** Somebody completes the update now, here or in another process. */
  resolverEnded(tx: Transaction): Promise<void> {
    return this.hub.announce(tx, RESOLVED_KEY);
  }

  taken(tx: Transaction, execution: TurnExecution): Promise<void> {
    tx.afterCommit(() => queueWait.observe(waitedSeconds(execution)));
    return this.events.state(tx, execution);
  }

  async stopRequested(tx: Transaction, execution: TurnExecution, force: boolean, principal: Principal): Promise<void> {
    await this.events.stopRequested(tx, execution, force);
    await this.hub.announce(tx, stopKey(execution.id)); // its runner may be another process
    await this.record(tx, execution, 'run_stop_requested', { force }, principal);
  }

  /** Only while the execution still runs, because the log refuses others. */
  async lost(_tx: Transaction, execution: TurnExecution, failure_summary: string): Promise<void> {
    const entry = { type: 'error_message', content: failure_summary, error_kind: 'stopped' } as const;
    await this.logRows.append(
      { attempt_id: execution.attempt_id, execution_id: execution.id, job_id: execution.job_id },
      { channel: 'normalized', entries: [entry], dropped: 0 },
    );
  }

  async ended(tx: Transaction, execution: TurnExecution, end: ExecutionEnd, used: UsageOutput): Promise<void> {
    await this.approvals.cancelOf(tx, execution.id);
    await this.events.state(tx, { ...execution, ...end });
    const { status, failure_summary } = end;
    const executor = await this.sessionRows.getExecutor(execution.session_id);
    tx.afterCommit(() => {
      executionsEnded.inc({ executor, run_reason: execution.run_reason, status });
      countUsage(executor, used);
    });
    await this.record(
      tx,
      execution,
      'run_ended',
      { status, run_reason: execution.run_reason, ...(failure_summary ? { failure_summary } : {}) },
      asActor(`@${executor.toLowerCase()}`, 'agent'),
    );
  }

  private async began(
    tx: Transaction,
    execution: TurnExecution,
    executor: string,
    principal: Principal,
  ): Promise<void> {
    await this.events.state(tx, execution);
    await this.record(tx, execution, 'run_started', { executor, run_reason: execution.run_reason }, principal);
  }

  private record(
    tx: Transaction,
    { id, task_id, project_id, attempt_id }: TurnExecution,
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

/** By the database's clock at both ends. */
const waitedSeconds = ({ created_at, started_at }: TurnExecution): number =>
  ((started_at ?? created_at).getTime() - created_at.getTime()) / 1_000;

/** What was not reported is not counted, so that it does not look like zero. */
function countUsage(executor: string, used: UsageOutput): void {
  const { input_tokens, cached_input_tokens, output_tokens, cost_usd } = used;
  const kinds = { input: input_tokens, cached_input: cached_input_tokens, output: output_tokens };
  for (const [kind, tokens] of Object.entries(kinds)) if (tokens !== null) agentTokens.inc({ executor, kind }, tokens);
  if (cost_usd !== null) agentCost.inc({ executor }, cost_usd);
}
