import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Execution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { LogRepository } from '../executions/log.repository.js';
import type { PermissionRequest } from '../executors/executor.js';
import { localOwner } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import type { LeasedJob } from '../platform/queue/turn-queue.js';
import { RunnerIdentity } from '../platform/queue/runner-identity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { ActiveRuns } from './active-runs.js';
import { insist } from './insist.js';
import { LOST_AT_SHUTDOWN, RunStep, type StepContext } from './run-step.js';
import { type StepPlan, StepPlanner } from './step-plan.js';
import { TurnCommits } from './turn-commits.js';

const STOP_POLL_MS = 2_000;

interface Prepared {
  attempt: Attempt;
  workspace: Workspace;
  plan: StepPlan;
}

/** Executes one step: prepares the worktrees, runs the process, heeds stops. */
@Injectable()
export class StepRunner {
  private readonly logger = new Logger(StepRunner.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly runner: RunnerIdentity,
    private readonly pool: ProcessPool,
    private readonly hub: ChangeHub,
    private readonly attempts: AttemptsRepository,
    private readonly workspaces: AttemptsService,
    private readonly sessions: SessionsRepository,
    private readonly executions: ExecutionsRepository,
    private readonly logs: LogRepository,
    private readonly planner: StepPlanner,
    private readonly activeRuns: ActiveRuns,
    private readonly approvals: ApprovalsService,
    private readonly commits: TurnCommits,
  ) {}

  /** @returns null where the lease was lost: whoever notices writes the end */
  async execute(execution: Execution, job: LeasedJob): Promise<ExecutionEnd | null> {
    try {
      const prepared = await insist(job.lost, () => this.prepare(execution));
      const end = prepared && (await this.supervise(prepared, execution, job));
      return job.lost.aborted ? null : end;
    } catch (error) {
      return job.lost.aborted ? null : this.failure(error, execution);
    }
  }

  /** Worktrees and plan; may be repeated. */
  private async prepare(execution: Execution): Promise<Prepared> {
    const attempt = await this.attempts.get(localOwner, execution.attempt_id);
    const workspace = await this.workspaces.workspace(attempt);
    const [baseCommits, plan] = await Promise.all([
      this.host.prepare(workspace),
      this.planner.plan(attempt, execution, this.host.workingDirectory(workspace)),
    ]);
    if (attempt.workspace_state !== 'ready' || attempt.runner_id !== this.runner.id) {
      await this.attempts.setReady(attempt.id, this.runner.id, baseCommits);
      this.hub.changed(attempt.id);
    }
    return { attempt, workspace, plan };
  }

  /** Once; once more, in a new conversation, where the agent has lost the old one. */
  private async supervise(prepared: Prepared, execution: Execution, job: LeasedJob): Promise<ExecutionEnd> {
    const first = await this.runStep(prepared, execution, job);
    const { attempt, workspace } = prepared;
    const last =
      first.hasLostSession && !job.lost.aborted
        ? await this.runStep(
            {
              ...prepared,
              plan: await this.planner.plan(attempt, execution, this.host.workingDirectory(workspace), true),
            },
            execution,
            job,
          )
        : first;
    await this.host
      .settle(workspace)
      .catch((error: unknown) =>
        this.logger.warn({ err: error, attempt_id: attempt.id }, 'the worktree could not be settled'),
      );
    if (!job.lost.aborted) await this.commits.commit(workspace, execution, last.end);
    return last.end;
  }

  private async runStep(
    { attempt, workspace, plan }: Prepared,
    execution: Execution,
    job: LeasedJob,
  ): Promise<{ end: ExecutionEnd; hasLostSession: boolean }> {
    const cwd =
      plan.repo_name === null
        ? this.host.workingDirectory(workspace)
        : this.host.repositoryDirectory(workspace, plan.repo_name);
    const step = new RunStep(this.contextOf(attempt, execution, job), plan, (id) =>
      this.keepAgentSession(execution, id, job),
    );
    this.activeRuns.add(execution.id, step);
    const poll = setInterval(() => void this.heedStop(execution, job, step), STOP_POLL_MS);
    try {
      await this.heedStop(execution, job, step);
      return { end: await step.run(cwd), hasLostSession: step.hasLostSession };
    } finally {
      clearInterval(poll);
      this.activeRuns.delete(execution.id);
    }
  }

  private contextOf(attempt: Attempt, execution: Execution, job: LeasedJob): StepContext {
    const timeoutMs = (execution.timeout_secs ?? this.environment.EXECUTION_TIMEOUT_SECS) * 1_000;
    const decide = (request: PermissionRequest) => this.approvals.ask(execution, request);
    return {
      environment: this.environment,
      logs: this.logs,
      hub: this.hub,
      pool: this.pool,
      attempt,
      execution,
      lost: job.lost,
      decide,
      timeoutMs,
    };
  }

  /** A stop asked for elsewhere, or before the step was known here. */
  private async heedStop(execution: Execution, job: LeasedJob, step: RunStep): Promise<void> {
    const stop = await this.executions.findStop(execution.id, job.id).catch(() => null);
    if (stop && (stop.isRequested || !stop.isMine)) step.stop(stop.isForced || !stop.isMine);
  }

  /** Without it the next turn could not go on with the agent's conversation. */
  private keepAgentSession(execution: Execution, id: string, job: LeasedJob): void {
    insist(job.lost, () => this.sessions.setAgentSession(execution.session_id, id)).catch((error: unknown) =>
      this.logger.error({ err: error, execution_id: execution.id }, 'the session of the agent could not be kept'),
    );
  }

  private failure(error: unknown, execution: Execution): ExecutionEnd {
    const refused = toAppError(error);
    if (refused === null) this.logger.error({ err: error, execution_id: execution.id }, 'a run failed unexpectedly');
    const failure_summary =
      refused?.code === 'shutting_down' ? LOST_AT_SHUTDOWN : (refused?.message ?? 'unexpected error in the server');
    return { status: 'failed', exit_code: null, failure_summary, final_message: null };
  }
}
