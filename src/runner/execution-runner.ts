import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { Transaction } from '../platform/database/database.js';
import type { LeasedJob } from '../platform/queue/turn-queue.js';
import { executionDuration } from '../platform/telemetry/metrics.js';
import { failed, inScope } from '../platform/telemetry/scope.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { ExecutionCells } from './execution-cells.js';
import { type ExecutionPlan, ExecutionPlanner } from './execution-planner.js';
import { LOST_AT_SHUTDOWN } from './stop-state.js';
import { ProcessSupervisor, type SupervisedEnd } from './process-supervisor.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { WorkKeeper } from './work-keeper.js';
import { WorkspacePreparation } from './workspace-preparation.js';

interface Prepared {
  attempt: Attempt;
  workspace: Workspace;
  plan: ExecutionPlan;
}

export interface FinishedExecution {
  end: ExecutionEnd;
  /** Writes what it leaves in the worktrees, in the transaction that ends it, before its end: its lease fences it. */
  keep: (tx: Transaction) => Promise<void>;
}

/** Works one execution through: the worktrees and the plan, the process, and what it leaves in the worktrees. */
@Injectable()
export class ExecutionRunner {
  private readonly logger = new Logger(ExecutionRunner.name);

  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly preparation: WorkspacePreparation,
    private readonly planner: ExecutionPlanner,
    private readonly cells: ExecutionCells,
    private readonly supervisor: ProcessSupervisor,
    private readonly work: WorkKeeper,
  ) {}

  /** @returns null where the lease was lost: whoever notices writes the end */
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
      const prepared = await retryUntilAvailable(job.lost, () => this.prepare(execution));
      const finished = prepared && (await this.run(prepared, execution, job));
      return job.lost.aborted ? null : finished;
    } catch (error) {
      return job.lost.aborted ? null : this.failure(error, execution);
    }
  }

  /** May be repeated. */
  private async prepare(execution: TurnExecution): Promise<Prepared> {
    const attempt = await this.attemptRows.get(localOwner, execution.attempt_id);
    const planned = await this.attempts.workspace(attempt);
    const [plan] = await Promise.all([
      this.planner.plan(attempt, execution, this.host.workingDirectory(planned)),
      this.preparation.prepare(attempt, planned),
    ]);
    // with the commits that it was prepared from, without which nothing of a first turn could be saved
    return { attempt, workspace: await this.attempts.workspace(attempt), plan };
  }

  private async run(prepared: Prepared, execution: TurnExecution, job: LeasedJob): Promise<FinishedExecution> {
    const { workspace } = prepared;
    const { end } = await this.work.whileSaving(workspace, execution, job, () =>
      this.supervise(prepared, execution, job),
    );
    // another runner may have the worktrees by now
    if (!(await retryUntilAvailable(job.lost, () => job.isHeld()))) return { end, keep: () => Promise.resolve() };
    return { end, keep: await this.work.settle(workspace, execution, end, job) };
  }

  /** Once; once more, in a new conversation, where the agent has lost the old one. */
  private async supervise(prepared: Prepared, execution: TurnExecution, job: LeasedJob): Promise<SupervisedEnd> {
    const { attempt, workspace } = prepared;
    const first = await this.confined(prepared, execution, job);
    if (!first.hasLostSession || job.lost.aborted) return first;
    const plan = await this.planner.plan(attempt, execution, this.host.workingDirectory(workspace), true);
    return this.confined({ attempt, workspace, plan }, execution, job);
  }

  private confined({ attempt, workspace, plan }: Prepared, execution: TurnExecution, job: LeasedJob) {
    const cwd = this.directoryOf(workspace, plan);
    return this.cells.within(execution, workspace, plan, (cell) =>
      this.supervisor.run(attempt, execution, plan, { cwd, cell }, job),
    );
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
    const failure_summary =
      refused?.code === 'shutting_down' ? LOST_AT_SHUTDOWN : (refused?.message ?? 'unexpected error in the server');
    const end: ExecutionEnd = { status: 'failed', exit_code: null, failure_summary, final_message: null };
    return { end, keep: () => Promise.resolve() };
  }
}
