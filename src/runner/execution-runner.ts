import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import type { LeasedJob } from '../cluster/turn-claims.js';
import { programPaths } from '../platform/sandbox/open-sandbox.js';
import { type Confinement, SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { executionDuration } from '../platform/telemetry/metrics.js';
import { failed, inScope } from '../platform/telemetry/scope.js';
import { ReviewBrief } from '../second-review/review-brief.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { AgentSessions } from './agent-sessions.js';
import { AgentStates, type LentState } from './agent-states.js';
import { CheckRunner } from './check-runner.js';
import { type ExecutionPlan, ExecutionPlanner } from './execution-planner.js';
import { LOST_AT_SHUTDOWN } from './execution-process.js';
import { ProcessSupervisor, type SupervisedEnd } from './process-supervisor.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { type FinishedExecution, SavedWork } from './saved-work.js';
import { WaysOut } from './ways-out.js';
import { WorkspacePreparation } from './workspace-preparation.js';

const NO_WALLS = 'a review needs walls that keep it from writing, which only bubblewrap makes here';
const NEEDS_WALLS = 'Run the server with ISOLATION=bubblewrap, or set review of the project to null.';

interface Prepared {
  attempt: Attempt;
  workspace: Workspace;
  plan: ExecutionPlan;
}

/** Runs one execution: worktrees and plan, the process, and what it leaves in the worktrees. */
@Injectable()
export class ExecutionRunner {
  private readonly logger = new Logger(ExecutionRunner.name);

  constructor(
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly lease: RunnerLease,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly preparation: WorkspacePreparation,
    private readonly planner: ExecutionPlanner,
    private readonly briefs: ReviewBrief,
    private readonly sessions: AgentSessions,
    private readonly states: AgentStates,
    private readonly waysOut: WaysOut,
    private readonly supervisor: ProcessSupervisor,
    private readonly work: SavedWork,
    private readonly checks: CheckRunner,
  ) {}

  /** @returns null if the lease was lost: then another process writes the end */
  async execute(execution: TurnExecution, job: LeasedJob): Promise<FinishedExecution | null> {
    const { id: execution_process_id, project_id, task_id, session_id, run_reason } = execution;
    const ids = () => ({ execution_process_id, project_id, task_id, session_id });
    const startedAt = performance.now();
    return inScope('execution', ids, { attributes: { 'taskyard.run_reason': run_reason } }, async (span) => {
      const finished = await this.attemptTo(execution, job);
      const duration_ms = Math.round(performance.now() - startedAt);
      executionDuration.observe({ run_reason }, duration_ms / 1_000);
      const status = finished?.end.status ?? 'lost';
      this.logger.log(
        { run_reason, status, exit_code: finished?.end.exit_code ?? null, duration_ms },
        'an execution ended',
      );
      if (status !== 'completed') failed(span, status);
      return finished;
    });
  }

  private async attemptTo(execution: TurnExecution, job: LeasedJob): Promise<FinishedExecution | null> {
    try {
      if (execution.run_reason === 'check') return await this.checks.run(execution, job);
      const prepared = await retryUntilAvailable(job.lost, () => this.prepare(execution));
      const finished = prepared && (await this.run(prepared, execution, job));
      return job.lost.aborted ? null : finished;
    } catch (error) {
      return job.lost.aborted ? null : this.failure(error, execution);
    }
  }

  /** May be repeated. */
  private async prepare(execution: TurnExecution): Promise<Prepared> {
    await this.sandbox.ready();
    const attempt = await this.attemptRows.get(localOwner, execution.attempt_id);
    const planned = await this.attempts.workspace(attempt);
    if (execution.run_reason === 'review') return this.prepareReview(attempt, execution, planned);
    const [plan] = await Promise.all([
      this.planner.plan(attempt, execution, this.host.workingDirectory(planned)),
      this.preparation.prepare(attempt, planned),
    ]);
    return { attempt, workspace: await this.madeHere(attempt), plan };
  }

  /** What it is told is read from the worktrees, which nothing but walls keeps from being written.
   *  @throws AppError isolation_unavailable */
  private async prepareReview(attempt: Attempt, execution: TurnExecution, planned: Workspace): Promise<Prepared> {
    if (this.sandbox.isolation !== 'bubblewrap')
      throw new AppError('isolation_unavailable', { reason: NO_WALLS }, NEEDS_WALLS);
    await this.preparation.prepare(attempt, planned);
    const workspace = await this.madeHere(attempt);
    const prompt = await this.briefs.make(attempt, workspace);
    const cwd = this.host.workingDirectory(workspace);
    return { attempt, workspace, plan: await this.planner.plan(attempt, { ...execution, prompt }, cwd) };
  }

  /** Now with the base commits, without which nothing of a first turn could be saved; its last home may be lost. */
  private madeHere(attempt: Attempt): Promise<Workspace> {
    return this.attempts.workspace({ ...attempt, runner_id: this.lease.id });
  }

  private async run(prepared: Prepared, execution: TurnExecution, job: LeasedJob): Promise<FinishedExecution> {
    const { workspace } = prepared;
    const { end, ending } = await this.work.whileSaving(workspace, execution, job, () =>
      this.supervise(prepared, execution, job),
    );
    // another runner may have the worktrees by now
    if (!(await retryUntilAvailable(job.lost, () => job.isHeld())))
      return { end, ending, keep: () => Promise.resolve() };
    return { end, ending, keep: await this.work.keepAll(workspace, execution, end, job) };
  }

  /** Runs once, and again in a new conversation if the agent has lost the old one. */
  private async supervise(prepared: Prepared, execution: TurnExecution, job: LeasedJob): Promise<SupervisedEnd> {
    const { attempt, workspace } = prepared;
    const first = await this.confined(prepared, execution, job);
    if (!first.hasLostSession || job.lost.aborted) return first;
    const plan = await this.planner.plan(attempt, execution, this.host.workingDirectory(workspace), true);
    return this.confined({ attempt, workspace, plan }, execution, job);
  }

  /** In a sandbox: the process reaches its attempt, its agent's state, and what it needs to run. */
  private async confined(
    { attempt, workspace, plan }: Prepared,
    execution: TurnExecution,
    job: LeasedJob,
  ): Promise<SupervisedEnd> {
    const cwd = this.directoryOf(workspace, plan);
    await retryUntilAvailable(job.lost, () => this.sessions.restore(execution, workspace));
    const isReview = execution.run_reason === 'review';
    const lent = await this.states.lend(workspace, plan.command.state ?? { own: [] }, isReview ? 'reviewer' : 'home');
    const confinement = await this.confinementOf(workspace, plan.command, lent, isReview);
    const wayOut = await this.waysOut.open(execution, plan.network);
    const cell = this.sandbox.open(execution.id, wayOut ? { ...confinement, network: wayOut } : confinement);
    try {
      return await this.supervisor.run(attempt, execution, plan, { cwd, cell }, job);
    } finally {
      await cell.close();
      await wayOut?.close();
      await lent.giveBack();
    }
  }

  /** Looks nothing up where no view of the file system is made. @param isReview it only reads the worktrees */
  private async confinementOf(
    workspace: Workspace,
    { program, installed = [] }: ExecutionPlan['command'],
    lent: LentState,
    isReview: boolean,
  ): Promise<Confinement> {
    const counted = Object.values(this.host.ownFolders(workspace));
    if (this.sandbox.isolation !== 'bubblewrap') return { writable: [], readable: [], counted };
    const { writable: work, readable, environment } = await this.host.confinement(workspace);
    const programs = [program, process.execPath, ...installed].flatMap((one) => programPaths(one));
    const { mounted } = lent;
    return {
      writable: [...(isReview ? [] : work), ...lent.writable],
      readable: [...(isReview ? work : []), ...readable, ...programs],
      mounted,
      counted,
      environment,
    };
  }

  private directoryOf(workspace: Workspace, { repo_name }: ExecutionPlan): string {
    return repo_name === null
      ? this.host.workingDirectory(workspace)
      : this.host.repositoryDirectory(workspace, repo_name);
  }

  private failure(error: unknown, execution: TurnExecution): FinishedExecution {
    const refused = toAppError(error);
    if (refused === null)
      this.logger.error({ err: error, execution_id: execution.id }, 'an execution failed unexpectedly');
    const isInterrupted = refused?.code === 'shutting_down';
    const failure_summary = isInterrupted ? LOST_AT_SHUTDOWN : (refused?.message ?? 'unexpected error in the server');
    const end: ExecutionEnd = { status: 'failed', exit_code: null, failure_summary, final_message: null };
    return { end, ending: isInterrupted ? 'interrupted' : 'failed', keep: () => Promise.resolve() };
  }
}
