import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import { isSettled, stateOfChecks } from '../checks/check-states.js';
import { CheckTrace } from '../checks/check-trace.js';
import type { CheckResult, CheckRun } from '../checks/check.entity.js';
import { TurnQueue } from '../cluster/turn-queue.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import type { Ending } from './turn-endings.js';

/** A check that took its runner with it so often does it again. */
const MOST_LOSSES = 3;

/** The steps of a run of checks: one execution after another under one job. What each said, its runner has stored in
 *  the transaction that ends it. */
@Injectable()
export class CheckSteps {
  constructor(
    private readonly runRows: CheckRunsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly queue: TurnQueue,
    private readonly trace: CheckTrace,
  ) {}

  /** @returns the execution that follows, which waits where the runner is gone; null at the end of the run */
  async next(
    tx: Transaction,
    attempt: Attempt,
    done: TurnExecution,
    end: ExecutionEnd,
    ending: Ending,
  ): Promise<TurnExecution | null> {
    const run = await this.runRows.findOfJob(done.job_id);
    if (run === null) return null;
    const isGone = ending === 'lost' || ending === 'interrupted';
    if (isGone) await this.noteLoss(tx, run, done);
    else if (ending !== 'completed' && ending !== 'failed') await this.giveUp(tx, run, end);
    else await this.settle(tx, run, done, end);
    const results = await this.runRows.listResults(run.id);
    const step = stepOf(results);
    if (step === null) return this.finish(tx, attempt, run, results);
    if (!isGone) return this.begin(tx, done, step);
    await this.queue.requeue(tx, done.job_id);
    return this.executionRows.insert(tx, { ...newExecution(done), status: 'queued', runner_id: null });
  }

  /** What a runner is to do now. @returns null where nothing is left */
  async take(tx: Transaction, run: CheckRun, execution: TurnExecution): Promise<CheckResult | null> {
    const step = stepOf(await this.runRows.listResults(run.id));
    return step && this.link(tx, step, execution);
  }

  private async begin(tx: Transaction, done: TurnExecution, step: CheckResult): Promise<TurnExecution> {
    const { repo_id, definition } = step;
    const part = { repo_id, timeout_secs: definition.timeout_secs };
    const execution = await this.executionRows.insert(tx, {
      ...newExecution(done),
      ...part,
      status: 'running',
      runner_id: done.runner_id,
    });
    await this.link(tx, step, execution);
    return execution;
  }

  private async link(tx: Transaction, step: CheckResult, { id }: TurnExecution): Promise<CheckResult> {
    const isBaseline = step.state === 'failed';
    const change = isBaseline ? { baseline_execution_id: id } : { execution_id: id, state: 'running' as const };
    await this.runRows.update(tx, step, change);
    return { ...step, ...change };
  }

  /** Its runner could not say what came of it. */
  private async settle(tx: Transaction, run: CheckRun, done: TurnExecution, end: ExecutionEnd): Promise<void> {
    const results = await this.runRows.listResults(run.id);
    const isPlanned = run.planned_at !== null;
    const left = results.filter((one) => (isPlanned ? isOf(one, done) && one.state === 'running' : !isSettled(one)));
    const reason = `${end.failure_summary ?? 'the check could not be run'}; run the checks again`;
    for (const result of left) await this.runRows.update(tx, result, { state: 'errored', reason });
  }

  /** The next runner begins the check anew, and looks again at what is to be checked. */
  private async noteLoss(tx: Transaction, run: CheckRun, done: TurnExecution): Promise<void> {
    await this.runRows.setUnplanned(tx, run.id);
    const result = (await this.runRows.listResults(run.id)).find((one) => isOf(one, done));
    if (result === undefined) return;
    const losses = result.losses + 1;
    if (result.state !== 'running') return this.runRows.update(tx, result, { losses, ...withoutBaseline(losses) });
    const isTooMuch = losses >= MOST_LOSSES;
    const reason = `its runner was lost ${losses} times; see whether the check needs more than a run may use`;
    await this.runRows.update(tx, result, {
      losses,
      ...(isTooMuch ? { state: 'errored', reason } : { state: 'pending' }),
    });
  }

  private async giveUp(tx: Transaction, run: CheckRun, { failure_summary }: ExecutionEnd): Promise<void> {
    const reason = `stopped (${failure_summary ?? 'killed'}); run the checks again`;
    for (const result of await this.runRows.listResults(run.id)) {
      if (!isSettled(result)) await this.runRows.update(tx, result, { state: 'errored', reason });
      else if (isBaselineWanted(result))
        await this.runRows.update(tx, result, { baseline_execution_id: result.execution_id });
    }
  }

  private async finish(tx: Transaction, attempt: Attempt, run: CheckRun, results: CheckResult[]): Promise<null> {
    await this.runRows.setEnded(tx, run.id);
    const state = stateOfChecks(results);
    await this.runRows.setState(tx, attempt.id, state);
    await this.trace.ended(tx, run, results, state);
    return null;
  }
}

/** First every check, then what those that failed say without the work. */
function stepOf(results: readonly CheckResult[]): CheckResult | null {
  return results.find(({ state }) => state === 'pending') ?? results.find(isBaselineWanted) ?? null;
}

const isBaselineWanted = (result: CheckResult): boolean =>
  result.state === 'failed' &&
  result.base !== null &&
  result.failed_before === null &&
  result.baseline_execution_id === null;

const isOf = ({ execution_id, baseline_execution_id }: CheckResult, { id }: TurnExecution): boolean =>
  execution_id === id || baseline_execution_id === id;

const withoutBaseline = (losses: number) => (losses >= MOST_LOSSES ? {} : { baseline_execution_id: null });

const newExecution = ({ attempt_id, session_id, task_id, project_id, job_id, started_by }: TurnExecution) => ({
  id: newId(),
  attempt_id,
  session_id,
  task_id,
  project_id,
  job_id,
  started_by,
  run_reason: 'check' as const,
  repo_id: null,
  prompt: null,
  is_task_text: false,
  variant: null,
  timeout_secs: null,
});
