import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { LeasedJob } from '../platform/queue/turn-queue.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { ExecutionCells } from './execution-cells.js';
import { type ExecutionPlan, ExecutionPlanner } from './execution-planner.js';
import { LOST_AT_SHUTDOWN } from './stop-state.js';
import { ProcessSupervisor, type SupervisedEnd } from './process-supervisor.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { TurnCommits } from './turn-commits.js';
import { WorkspacePreparation } from './workspace-preparation.js';

interface Prepared {
  attempt: Attempt;
  workspace: Workspace;
  plan: ExecutionPlan;
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
    private readonly commits: TurnCommits,
  ) {}

  /** @returns null where the lease was lost: whoever notices writes the end */
  async execute(execution: TurnExecution, job: LeasedJob): Promise<ExecutionEnd | null> {
    try {
      const prepared = await retryUntilAvailable(job.lost, () => this.prepare(execution));
      const end = prepared && (await this.run(prepared, execution, job));
      return job.lost.aborted ? null : end;
    } catch (error) {
      return job.lost.aborted ? null : this.failure(error, execution);
    }
  }

  /** May be repeated. */
  private async prepare(execution: TurnExecution): Promise<Prepared> {
    const attempt = await this.attemptRows.get(localOwner, execution.attempt_id);
    const workspace = await this.attempts.workspace(attempt);
    const [plan] = await Promise.all([
      this.planner.plan(attempt, execution, this.host.workingDirectory(workspace)),
      this.preparation.prepare(attempt, workspace),
    ]);
    return { attempt, workspace, plan };
  }

  private async run(prepared: Prepared, execution: TurnExecution, job: LeasedJob): Promise<ExecutionEnd> {
    const { attempt, workspace } = prepared;
    const { end } = await this.supervise(prepared, execution, job);
    await this.host.settle(workspace).catch((error: unknown) => {
      this.logger.warn({ err: error, attempt_id: attempt.id }, 'the worktree could not be settled');
    });
    if (job.lost.aborted) return end;
    await this.commits.count(workspace, execution);
    await this.commits.commit(workspace, execution, end);
    return end;
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

  private failure(error: unknown, execution: TurnExecution): ExecutionEnd {
    const refused = toAppError(error);
    if (refused === null)
      this.logger.error({ err: error, execution_id: execution.id }, 'an execution failed unexpectedly');
    const failure_summary =
      refused?.code === 'shutting_down' ? LOST_AT_SHUTDOWN : (refused?.message ?? 'unexpected error in the server');
    return { status: 'failed', exit_code: null, failure_summary, final_message: null };
  }
}
