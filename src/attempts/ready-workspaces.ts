import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { RunnersRepository } from '../cluster/runners.repository.js';
import { Jobs } from '../cluster/jobs.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { type Attempt, historyOnly, type VisibleAttempt } from './attempt.entity.js';
import { AttemptsRepository } from './attempts.repository.js';
import { AttemptsService } from './attempts.service.js';

/** Announced if a runner could not create the worktrees and trying again would not help. */
export const unmadeKey = (attempt_id: string): string => `unmade:${attempt_id}`;

/** Announced to a runner that may hold worktrees which have no place there; to all, where none is known as the home. */
export const strayKey = (runner_id: string | null): string => `stray:${runner_id ?? 'anywhere'}`;

/** Worktrees that were made too late, as after a takeover or a deletion, are removed soon. */
export async function orStray<T>(hub: ChangeHub, runner_id: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    hub.changed(strayKey(runner_id));
    throw error;
  }
}

const READY_WAIT_MS = 5_000;

/** The worktrees of an attempt, for those who need them now. */
@Injectable()
export class ReadyWorkspaces {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly hub: ChangeHub,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
    private readonly jobs: Jobs,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** The worktrees, once they exist; waits at most 5 s.
   *  @throws AppError workspace_not_ready, workspace_unavailable, workspace_lost */
  async ready(attempt_id: string, principal: Principal): Promise<Workspace> {
    const attempt = await this.untilMade(attempt_id, principal);
    if (attempt === null) throw new AppError('workspace_not_ready', { attempt_id });
    if (attempt.is_imported) throw historyOnly(attempt);
    if (!(await this.hasHome(attempt))) return this.onAnotherRunner(attempt, principal);
    return attempt.workspace_state === 'ready' ? this.attempts.workspace(attempt) : this.prepareAgain(attempt);
  }

  private untilMade(attempt_id: string, principal: Principal): Promise<VisibleAttempt | null> {
    return this.hub.waitFor(attempt_id, READY_WAIT_MS, async () => {
      const row = await this.attemptRows.get(principal, attempt_id);
      return row.workspace_state === 'preparing' ? null : row;
    });
  }

  /** A single server is the home of all attempts; ROLE=api has them made on a runner. */
  private async hasHome({ runner_id }: Attempt): Promise<boolean> {
    if (this.environment.CLUSTER_SECRET === '' || runner_id === this.lease.id) return true;
    if (runner_id === null) return this.environment.ROLE !== 'api';
    const home = await this.runnerRows.find(runner_id);
    return home !== null && !home.is_gone;
  }

  /** The runner that takes the job makes them, and is their home from then on. */
  private async onAnotherRunner({ id, runner_id }: Attempt, principal: Principal): Promise<Workspace> {
    const answer = this.hub.subscribe(unmadeKey(id));
    let isUnmade = false;
    void answer.next(2 * READY_WAIT_MS).then(() => (isUnmade = true));
    await this.jobs.send(null, { kind: 'prepare_workspace', data: { attempt_id: id } });
    const look = async () => {
      const row = await this.attemptRows.get(principal, id);
      const isMoved = row.workspace_state === 'ready' && row.runner_id !== runner_id;
      return isMoved || (isUnmade && row.workspace_state === 'lost') ? row : null;
    };
    const made = await this.hub.waitFor(id, READY_WAIT_MS, look).finally(() => answer.close());
    if (made?.workspace_state === 'ready') return this.attempts.workspace(made);
    if (made === null)
      throw new AppError('workspace_unavailable', { runner_id, reason: 'it is lost, and another one takes over' });
    const reason = 'a runner could not make it; the events of the attempt say why';
    throw new AppError('workspace_lost', { attempt_id: id, workspace_branch: made.branch, reason });
  }

  /** Creates worktrees that housekeeping removed or could not create, from their branch.
   *  @throws AppError workspace_lost, or a refusal that another try may overcome */
  private async prepareAgain(attempt: Attempt): Promise<Workspace> {
    try {
      const { id, runner_id: from } = attempt;
      const to = from ?? this.lease.id;
      await orStray(this.hub, to, async () => {
        const baseCommits = await this.host.prepare(await this.attempts.workspace(attempt));
        await this.attemptRows.setReady(id, { from, to }, baseCommits);
      });
      return await this.attempts.workspace(attempt); // now with the base commits
    } catch (error) {
      const refusal = toAppError(error);
      if (attempt.workspace_state === 'removed' || refusal === null || refusal.row.retryable) throw error;
      const { id: attempt_id, branch: workspace_branch } = attempt;
      throw new AppError('workspace_lost', { attempt_id, workspace_branch, reason: refusal.message });
    }
  }
}
