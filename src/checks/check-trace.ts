import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { EventLog } from '../events/event-log.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { checksEnded } from '../platform/telemetry/metrics.js';
import type { CheckState } from '../tasks/checks-state.dto.js';
import type { CheckResult, CheckRun } from './check.entity.js';

type BegunRun = Pick<CheckRun, 'id' | 'attempt_id' | 'task_id' | 'project_id' | 'cause'>;

/** What follows from a run of checks: events, audit and metrics. */
@Injectable()
export class CheckTrace {
  constructor(
    private readonly audit: AuditService,
    private readonly board: EventLog,
    private readonly events: AttemptEvents,
  ) {}

  /** @param execution_id its first */
  async began(tx: Transaction, run: BegunRun, execution_id: string, principal: Principal): Promise<void> {
    await this.board.record(tx, this.event(run, 'started', {}));
    await this.audit.record(tx, principal, {
      entity_type: 'execution',
      entity_id: execution_id,
      task_id: run.task_id,
      project_id: run.project_id,
      action: 'checks_started',
      details: { attempt_id: run.attempt_id, check_run_id: run.id, cause: run.cause },
    });
  }

  /** Its last check is over. */
  async ended(
    tx: Transaction,
    run: CheckRun,
    results: readonly CheckResult[],
    state: CheckState | null,
  ): Promise<void> {
    const checks = results.map(({ repo_id, name, required, state: its }) => ({ repo_id, name, required, state: its }));
    const became = state === 'failed' || state === 'errored' ? state : 'passed';
    await this.board.record(tx, this.event(run, became, { checks }));
    await this.events.add(tx, run.attempt_id, null, {
      type: 'state',
      content: `checks ${became}`,
      metadata: { checks_state: state },
    });
    tx.afterCommit(() => {
      for (const result of results) checksEnded.inc({ state: result.state });
    });
  }

  private event(run: BegunRun, became: 'started' | 'passed' | 'failed' | 'errored', more: object) {
    const { id: check_run_id, attempt_id, task_id, project_id, cause } = run;
    const data = { attempt_id, task_id, check_run_id, cause, ...more };
    return { project_id, type: `taskyard.check.${became}` as const, subject: attempt_id, data };
  }
}
