import { Inject, Injectable } from '@nestjs/common';
import { Minimatch } from 'minimatch';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import { isSettled } from '../checks/check-states.js';
import type { CheckResult, CheckRun } from '../checks/check.entity.js';
import type { LeasedJob } from '../cluster/turn-claims.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { CheckSteps } from '../turns/check-steps.js';
import type { CheckSubject } from '../workspaces/check-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

type Change = Partial<Omit<CheckResult, 'definition' | 'run_id' | 'position'>>;

/** Which check an execution runs. The first of a run reads what is to be checked at all. */
@Injectable()
export class CheckPlanning {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: Pick<WorkspaceHost, 'checkSubjects'>,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly runRows: CheckRunsRepository,
    private readonly steps: CheckSteps,
  ) {}

  /** @returns null where nothing is left to run. @throws AppError workspace_lost, git_failed, storage_full */
  async stepOf(
    attempt: Attempt,
    workspace: Workspace,
    execution: TurnExecution,
    job: LeasedJob,
  ): Promise<CheckResult | null> {
    const run = await this.runRows.findOfJob(execution.job_id);
    if (run === null) return null;
    if (run.planned_at !== null) return this.linked(run, execution);
    const { check_on } = await this.projectRows.get(localOwner, attempt.project_id);
    const subjects = await this.host.checkSubjects(workspace, {
      message: commitMessage(execution),
      isMerged: check_on === 'delivery',
    });
    return this.database.transaction(async (tx) => {
      await this.attemptRows.lock(tx, localOwner, attempt.id);
      if (!(await job.isHeld())) return null;
      await this.fill(tx, run, subjects);
      const step = await this.steps.take(tx, run, execution);
      if (step === null) return null;
      const { repo_id, definition } = step;
      await this.executionRows.setCheck(tx, execution.id, { repo_id, timeout_secs: definition.timeout_secs });
      return step;
    });
  }

  private async linked(run: CheckRun, { id }: TurnExecution): Promise<CheckResult | null> {
    const results = await this.runRows.listResults(run.id);
    return results.find((one) => one.baseline_execution_id === id || one.execution_id === id) ?? null;
  }

  private async fill(tx: Transaction, run: CheckRun, subjects: readonly CheckSubject[]): Promise<void> {
    const names = new Map(
      (await this.attemptRows.listRepos(run.attempt_id)).map((repo) => [repo.repo_id, repo.repo_name]),
    );
    const before = run.cause === 'turn_end' ? await this.resultsBefore(run) : [];
    for (const result of await this.runRows.listResults(run.id)) {
      const subject = subjects.find(({ repo_name }) => repo_name === names.get(result.repo_id));
      if (subject !== undefined) await this.runRows.update(tx, result, changeOf(result, subject, before));
    }
    await this.runRows.setPlanned(tx, run.id);
    await this.runRows.setState(tx, run.attempt_id, 'running');
  }

  private async resultsBefore(run: CheckRun): Promise<CheckResult[]> {
    const earlier = await this.runRows.findEndedBefore(run);
    return earlier === null ? [] : this.runRows.listResults(earlier.id);
  }
}

/** What is known of a check before it runs. After the loss of a runner, what others said of the same work stays. */
function changeOf(result: CheckResult, subject: CheckSubject, before: readonly CheckResult[]): Change {
  const { head, target, base, merged, paths, problem } = subject;
  const place = { head, target, base, merged };
  if (problem !== null) return { ...place, state: 'errored', reason: `${problem}; then run the checks again` };
  if (isSettled(result) && isSame(result, { ...result, ...place })) return place;
  const known = before.find((one) => isSame(one, { ...result, ...place }) && isVerdict(one));
  if (known) return { ...place, ...verdictOf(known) };
  const globs = result.definition.paths;
  const isTouched = globs === null || paths === null || touches(paths, globs);
  if (!isTouched) return { ...place, state: 'skipped', reason: 'the work touches none of its paths' };
  return { ...place, state: 'pending', tries: 0, failed_before: null, baseline_execution_id: null, reason: null };
}

const isSame = (one: CheckResult, other: CheckResult): boolean =>
  one.repo_id === other.repo_id &&
  one.name === other.name &&
  one.version === other.version &&
  one.head === other.head &&
  one.target === other.target &&
  one.merged === other.merged;

const isVerdict = ({ state }: CheckResult): boolean => ['passed', 'failed', 'skipped'].includes(state);

const verdictOf = (known: CheckResult): Change => ({
  state: known.state,
  exit_code: known.exit_code,
  duration_ms: known.duration_ms,
  execution_id: known.execution_id,
  baseline_execution_id: known.baseline_execution_id ?? known.execution_id,
  failed_before: known.failed_before,
  reason: known.reason,
  tail: known.tail,
});

function touches(paths: readonly string[], globs: readonly string[]): boolean {
  const wanted = globs.map((glob) => new Minimatch(glob, { dot: true, nocomment: true }));
  return paths.some((path) => wanted.some((glob) => glob.match(path)));
}

/** Contains nothing that the agent or a person wrote. */
const commitMessage = ({ task_id, attempt_id }: TurnExecution): string =>
  [`Work on task ${task_id}`, '', `Taskyard-Task: ${task_id}`, `Taskyard-Attempt: ${attempt_id}`, ''].join('\n');
