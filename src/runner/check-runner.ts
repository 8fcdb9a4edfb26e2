import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import type { CheckResult } from '../checks/check.entity.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import type { LeasedJob } from '../cluster/turn-claims.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { localOwner } from '../platform/access/principal.js';
import { programPaths } from '../platform/sandbox/open-sandbox.js';
import { type Confinement, SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import type { CheckoutFolder } from '../workspaces/check-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { AgentStates, type LentState } from './agent-states.js';
import { CheckOutcomes } from './check-outcomes.js';
import { type CheckPlan, CheckPlanner } from './check-planner.js';
import { CheckPlanning } from './check-planning.js';
import { ProcessSupervisor, type SupervisedEnd } from './process-supervisor.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { type FinishedExecution, SavedWork } from './saved-work.js';
import { WaysOut } from './ways-out.js';
import { WorkspacePreparation } from './workspace-preparation.js';

interface Subject {
  attempt: Attempt;
  workspace: Workspace;
  execution: TurnExecution;
  job: LeasedJob;
}

/** Runs one check, on a clean checkout that it alone writes; it sees no worktree, no agent's state and no token. */
@Injectable()
export class CheckRunner {
  constructor(
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly lease: RunnerLease,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly preparation: WorkspacePreparation,
    private readonly planning: CheckPlanning,
    private readonly planner: CheckPlanner,
    private readonly states: AgentStates,
    private readonly waysOut: WaysOut,
    private readonly supervisor: ProcessSupervisor,
    private readonly outcomes: CheckOutcomes,
    private readonly work: SavedWork,
  ) {}

  /** @returns null if the lease was lost: then another process writes the end. @throws AppError */
  async run(execution: TurnExecution, job: LeasedJob): Promise<FinishedExecution | null> {
    const prepared = await retryUntilAvailable(job.lost, () => this.prepare(execution, job));
    if (prepared === null || job.lost.aborted) return null;
    const { step, subject } = prepared;
    const finished = step === null ? nothingLeft : await this.check(subject, step);
    return job.lost.aborted ? null : this.withWork(subject, finished);
  }

  /** Worktrees are looked after by the first execution of a run; the others find its store. */
  private async prepare(execution: TurnExecution, job: LeasedJob) {
    await this.sandbox.ready();
    const attempt = await this.attemptRows.get(localOwner, execution.attempt_id);
    const isHere = execution.repo_id !== null && attempt.runner_id === this.lease.id;
    if (!isHere) await this.preparation.prepare(attempt, await this.attempts.workspace(attempt));
    const workspace = await this.attempts.workspace(isHere ? attempt : { ...attempt, runner_id: this.lease.id });
    const step = await this.planning.stepOf(attempt, workspace, execution, job);
    return { step, subject: { attempt, workspace, execution, job } };
  }

  private async check(subject: Subject, step: CheckResult): Promise<FinishedExecution> {
    const { workspace, execution } = subject;
    const { repo_id, definition, state } = step;
    const repo_name = await this.nameOf(execution, repo_id);
    const commit = (state === 'failed' ? step.base : (step.merged ?? step.head))!;
    try {
      const [plan, checkout] = await Promise.all([
        this.planner.plan(execution, step, repo_name),
        this.host.checkOut(workspace, { id: execution.id, repo_name, commit }),
      ]);
      const limited = { ...subject, execution: { ...execution, repo_id, timeout_secs: definition.timeout_secs } };
      const startedAt = performance.now();
      const ended = await this.confined(limited, plan, checkout);
      const duration_ms = Math.round(performance.now() - startedAt);
      const tail = plan.secrets.scrubber.record({ tail: plan.driver.lastOutput }).tail;
      const { end, ending } = ended;
      return { end, ending, keep: (tx) => this.outcomes.keep(tx, step, ended, { tail, duration_ms }) };
    } finally {
      await this.host.discardCheckout(execution.id);
    }
  }

  private async confined(
    { attempt, workspace, execution, job }: Subject,
    plan: CheckPlan,
    checkout: CheckoutFolder,
  ): Promise<SupervisedEnd> {
    const lent = await this.states.lend(workspace, { own: [] });
    const isClosed = plan.network.reach.network === 'none';
    const wayOut = isClosed ? null : await this.waysOut.open(execution, plan.network);
    const network = isClosed ? 'none' : wayOut;
    const confinement = this.confinementOf(plan, checkout, lent);
    const cell = this.sandbox.open(execution.id, network ? { ...confinement, network } : confinement);
    try {
      return await this.supervisor.run(attempt, execution, plan, { cwd: checkout.dir, cell }, job);
    } finally {
      await cell.close();
      await wayOut?.close();
      await lent.giveBack();
    }
  }

  private confinementOf({ command }: CheckPlan, { dir, readable }: CheckoutFolder, lent: LentState): Confinement {
    if (this.sandbox.isolation !== 'bubblewrap') return { writable: [], readable: [], counted: [dir] };
    return {
      writable: [dir, ...lent.writable],
      readable: [...readable, ...programPaths(command.program)],
      mounted: lent.mounted,
      counted: [dir],
    };
  }

  private async nameOf({ attempt_id }: TurnExecution, repo_id: string): Promise<string> {
    const repos = await this.attemptRows.listRepos(attempt_id);
    return repos.find((repo) => repo.repo_id === repo_id)!.repo_name;
  }

  /** What the first execution of a run has committed is saved like the work of a turn. */
  private async withWork(
    { workspace, execution, job }: Subject,
    finished: FinishedExecution,
  ): Promise<FinishedExecution> {
    if (execution.repo_id !== null) return finished;
    const keepWork = await this.work.keepAll(workspace, execution, finished.end, job);
    return {
      ...finished,
      keep: async (tx) => {
        await keepWork(tx);
        await finished.keep(tx);
      },
    };
  }
}

const nothingLeft: FinishedExecution = {
  end: { status: 'completed', exit_code: null, failure_summary: null, final_message: null },
  ending: 'completed',
  keep: () => Promise.resolve(),
};
