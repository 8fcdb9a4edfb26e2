import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { CheckResult, CheckRun } from '../checks/check.entity.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import { stateOfChecks } from '../checks/check-states.js';
import { ContinuationsRepository } from '../continuations/continuations.repository.js';
import { ContinuationsService, type PlannedMessage } from '../continuations/continuations.service.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { localOwner } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type FailedCheck, failureSignature, repairMessage } from './repair-message.js';

const SAME = 'the same checks failed in the same way after a round';
const UNCHANGED = 'the agent changed nothing, though its checks had failed';

/** Sends an agent what its required checks said, a bounded number of times; then a person is asked. */
@Injectable()
export class RepairsService {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly runRows: CheckRunsRepository,
    private readonly continuationRows: ContinuationsRepository,
    private readonly continuations: ContinuationsService,
  ) {}

  /** After a run of checks: red, and nobody works on it. */
  async afterChecks(tx: Transaction, attempt: Attempt, execution: TurnExecution): Promise<void> {
    const run = await this.runRows.findOfJob(execution.job_id);
    if (run === null) return;
    const results = await this.runRows.listResults(run.id);
    const state = stateOfChecks(results);
    if (state === 'passed' || state === 'skipped') return this.passed(tx, attempt);
    const failed = results.filter((result) => result.required && result.state === 'failed');
    if (failed.length > 0) await this.repair(tx, attempt, run, failed);
  }

  /** After a round in which the agent left everything as it was, so that no checks ran. */
  async afterRound(tx: Transaction, attempt: Attempt, execution: TurnExecution): Promise<void> {
    const sent = await this.continuationRows.findSent(attempt.id, execution.job_id);
    const isDue = (await this.continuationRows.listOpen(attempt.id)).length > 0;
    if (sent?.cause !== 'repair' || isDue || attempt.checks_state !== 'failed') return;
    const { session_id, prompt, is_task_text, variant, timeout_secs } = execution;
    const message = { prompt, is_task_text, variant, timeout_secs };
    const about = { attempt, session_id, cause: 'repair' as const, round: sent.round, delay_secs: 0, message };
    await this.giveUp(tx, { ...about, cause_key: `unchanged ${sent.id}` }, UNCHANGED);
  }

  /** Somebody took over, and is followed by as many rounds again. */
  async takenOver(tx: Transaction, attempt_id: string): Promise<void> {
    await this.note(tx, attempt_id, null, 0);
  }

  private async passed(tx: Transaction, attempt: Attempt): Promise<void> {
    await this.continuationRows.setPast(tx, attempt.id, ['repair']);
    await this.note(tx, attempt.id, null);
  }

  private async repair(tx: Transaction, attempt: Attempt, run: CheckRun, failed: CheckResult[]): Promise<void> {
    const { fix_rounds, checks } = await this.projectRows.get(localOwner, attempt.project_id);
    if (checks === 'off' || fix_rounds === 0) return;
    const used = await this.continuationRows.countRounds(attempt.id, 'repair');
    const told = await this.toldOf(attempt, failed);
    const planned = await this.roundOf(attempt, failed, used + 1, repairMessage(told, used + 1, fix_rounds));
    if (planned === null) return;
    if (used >= fix_rounds) return this.giveUp(tx, planned, `${used} rounds did not help`);
    if (used > 0 && (await this.isRepeated(attempt, run, told))) return this.giveUp(tx, planned, SAME);
    if (await this.continuations.plan(tx, planned)) await this.note(tx, attempt.id, null, used + 1);
  }

  /** @returns null where no agent has worked on it */
  private async roundOf(attempt: Attempt, failed: readonly CheckResult[], round: number, prompt: string) {
    const last = await this.continuationRows.findAgentTurn(attempt.id);
    if (last === null) return null;
    const bound = failed.map(({ repo_id, head, version }) => `${repo_id} ${head} ${version}`).join('\n');
    const place = createHash('sha256').update(bound).digest('hex');
    const message = { prompt, is_task_text: false, variant: last.variant, timeout_secs: last.timeout_secs };
    const cause_key = `repair ${attempt.id} ${place} ${round}`;
    const { session_id } = last;
    return { attempt, session_id, cause: 'repair' as const, cause_key, round, delay_secs: 0, message };
  }

  /** Whether the checks before this round said the same. */
  private async isRepeated(attempt: Attempt, run: CheckRun, told: readonly FailedCheck[]): Promise<boolean> {
    const before = await this.runRows.findEndedBefore(run);
    if (before === null) return false;
    const results = await this.runRows.listResults(before.id);
    const failed = results.filter((result) => result.required && result.state === 'failed');
    return failureSignature(await this.toldOf(attempt, failed)) === failureSignature(told);
  }

  private async giveUp(tx: Transaction, planned: PlannedMessage, reason: string): Promise<void> {
    if (await this.continuations.exhaust(tx, planned, reason)) await this.note(tx, planned.attempt.id, reason);
  }

  /** What the checks of the attempt tell. @param rounds used; as before where none are given */
  private async note(_tx: Transaction, attempt_id: string, exhausted: string | null, rounds?: number): Promise<void> {
    await this.database.query(
      `UPDATE attempts
       SET fix_rounds_used = coalesce($3::int, fix_rounds_used), checks_exhausted_reason = $2, updated_at = now()
       WHERE id = $1
         AND (checks_exhausted_reason, fix_rounds_used) IS DISTINCT FROM ($2::text, coalesce($3::int, fix_rounds_used))`,
      [attempt_id, exhausted, rounds ?? null],
    );
  }

  private async toldOf(attempt: Attempt, failed: readonly CheckResult[]): Promise<FailedCheck[]> {
    const repos = await this.attemptRows.listRepos(attempt.id);
    const nameOf = new Map(repos.map(({ repo_id, repo_name }) => [repo_id, repo_name]));
    return failed.map(({ repo_id, definition, ...check }) => ({
      ...check,
      command: definition.command,
      repo_name: nameOf.get(repo_id) ?? '',
    }));
  }
}
