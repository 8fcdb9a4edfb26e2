import { Inject, Injectable } from '@nestjs/common';
import { ApprovalsRepository } from '../../approvals/approvals.repository.js';
import { AttemptsRepository } from '../../attempts/attempts.repository.js';
import { AuditService } from '../../audit/audit.service.js';
import { CheckBaselinesRepository } from '../../checks/check-baselines.repository.js';
import { CheckRunsRepository } from '../../checks/check-runs.repository.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { EventsRepository } from '../../events/events.repository.js';
import { LogRepository } from '../../executions/log.repository.js';
import { IdempotencyService } from '../../idempotency/idempotency.service.js';
import { NetworkDenialsRepository } from '../../network/network-denials.repository.js';
import { ToolInvocationsRepository } from '../../tool-invocations/tool-invocations.repository.js';
import { RunnersRepository } from '../../cluster/runners.repository.js';

/** Rows per statement, to keep locks short. */
const BATCH = 1_000;
/** An attempt may hold hundreds of megabytes of log. */
const ATTEMPTS_A_BATCH = 20;

/** Removes old data; a setting of 0 days keeps it. */
@Injectable()
export class Retention {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly idempotency: IdempotencyService,
    private readonly invocationRows: ToolInvocationsRepository,
    private readonly logRows: LogRepository,
    private readonly approvalRows: ApprovalsRepository,
    private readonly audit: AuditService,
    private readonly eventRows: EventsRepository,
    private readonly denialRows: NetworkDenialsRepository,
    private readonly runnerRows: RunnersRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly checkRunRows: CheckRunsRepository,
    private readonly baselineRows: CheckBaselinesRepository,
  ) {}

  /** Tries each kind, even if others fail. @throws the first failure */
  async apply(): Promise<void> {
    const { LOG_TTL_DAYS, APPROVAL_TTL_DAYS, AUDIT_TTL_DAYS, EVENT_TTL_DAYS, TOOL_INVOCATIONS_TTL_DAYS } =
      this.environment;
    const results = await Promise.allSettled([
      this.idempotency.prune(),
      inBatches(TOOL_INVOCATIONS_TTL_DAYS, BATCH, (days, most) => this.invocationRows.prune(days, most)),
      inBatches(LOG_TTL_DAYS, ATTEMPTS_A_BATCH, (days, most) => this.logRows.prune(days, most)),
      inBatches(APPROVAL_TTL_DAYS, BATCH, (days, most) => this.approvalRows.prune(days, most)),
      inBatches(EVENT_TTL_DAYS, BATCH, (days, most) => this.eventRows.prune(days, most)),
      inBatches(LOG_TTL_DAYS, BATCH, (days, most) => this.denialRows.prune(days, most)),
      inBatches(LOG_TTL_DAYS, BATCH, (days, most) => this.baselineRows.prune(days, most)),
      inBatches(LOG_TTL_DAYS, BATCH, (days, most) => this.checkRunRows.prune(days, most)),
      inBatches(AUDIT_TTL_DAYS, BATCH, (days, most) => this.audit.prune(days, most)),
      this.runnerRows.forgetFleeting(),
      this.forgetRunners(),
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Those that left, once they are nobody's home. */
  private async forgetRunners(): Promise<void> {
    const left = await this.runnerRows.listLeft();
    const homes = await this.attemptRows.listHomes(left);
    await this.runnerRows.forget(left.filter((runner_id) => !homes.includes(runner_id)));
  }
}

/** @param prune one statement @returns how many it removed; fewer than asked for mean that no more are old enough */
async function inBatches(
  days: number,
  most: number,
  prune: (days: number, most: number) => Promise<number>,
): Promise<void> {
  if (days === 0) return;
  while ((await prune(days, most)) === most);
}
