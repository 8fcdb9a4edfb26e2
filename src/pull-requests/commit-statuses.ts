import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptChecksService } from '../checks/attempt-checks.service.js';
import { stateOfChecks } from '../checks/check-states.js';
import type { PullRequestRow } from '../deliveries/pull-request.entity.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { CONTEXT, statusOfChecks } from '../forges/commit-status.js';
import { type CheckReport, checkReport, type CommitStatus } from '../forges/forge.js';
import { ForgesService } from '../forges/forges.service.js';
import { localOwner } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { type EndedTurn, type TurnFollower, TurnFollowers } from '../turns/turn-followers.js';

/** As forges tell them back. */
const READ_AS = { pending: 'pending', passed: 'passing', failed: 'failing', errored: 'failing' } as const;

/** How our checks stand, as a status of the head of each open pull request. It is compared at each look at the forge,
 *  so that a lost word is said again. */
@Injectable()
export class CommitStatuses implements TurnFollower, OnApplicationBootstrap {
  constructor(
    private readonly followers: TurnFollowers,
    private readonly attemptRows: AttemptsRepository,
    private readonly checks: AttemptChecksService,
    private readonly forges: ForgesService,
    private readonly pullRequestRows: PullRequestsRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.followers.add(this);
  }

  /** The forge hears of the end of checks at the next look, which is due now. */
  async over(tx: Transaction, { attempt, execution }: EndedTurn): Promise<void> {
    if (execution.run_reason === 'check') await this.pullRequestRows.lookSoon(tx, attempt.id);
  }

  /** Says what the forge does not know yet. @returns the report without our own word, which the gate stands for
   *  @throws AppError forge_failed, forge_rate_limited, forge_auth_failed */
  async tell(row: PullRequestRow, head: string, report: CheckReport): Promise<CheckReport> {
    const said = report.checks.find(({ name }) => name === CONTEXT)?.state;
    const state = await this.stateOf(row, head);
    if (state !== null && said !== READ_AS[state])
      await this.forges.get(row.forge_host).setStatus(row.forge_repository, head, statusOfChecks(state));
    const others = report.checks.filter(({ name }) => name !== CONTEXT);
    return checkReport(others, report.complete);
  }

  /** Null where nothing is checked. */
  private async stateOf({ attempt_id, repo_id }: PullRequestRow, head: string): Promise<CommitStatus['state'] | null> {
    const attempt = await this.attemptRows.get(localOwner, attempt_id);
    const { state, results } = await this.checks.of(attempt);
    if (state === null) return null;
    const own = results.filter((one) => one.repo_id === repo_id);
    if (own.length === 0) return null;
    if (own.some((one) => one.head !== head && one.state !== 'skipped')) return 'pending';
    const together = stateOfChecks(own);
    if (together === 'failed' || together === 'errored') return together;
    return together === 'passed' || together === 'skipped' ? 'passed' : 'pending';
  }
}
