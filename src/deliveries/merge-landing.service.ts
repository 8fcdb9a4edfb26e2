import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Landing } from '../git/landing.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { Delivery, NewDelivery } from './delivery.entity.js';
import { DeliveriesRepository, type UnsettledDelivery } from './deliveries.repository.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { newDelivery } from './delivery-output.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import { MovedTargets } from './moved-targets.js';
import type { PlannedMerge } from './merge-plan.js';

type Row = NewDelivery | Delivery;
/** The outcome of moving a target; `open` while it may still happen. */
type Fate = 'moved' | 'stayed' | 'open';

/** How long the git of a killed server may still run. */
const LOCAL_GRACE_SECS = 2;

/** Moves targets: lands in one repository, or undoes that. The row is written before the branch may move: after a crash
 *  or a lost answer the branch says what became of it. */
@Injectable()
export class MergeLanding {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly lanes: DeliveryLanes,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly trace: DeliveryTrace,
    private readonly checkRows: CheckRunsRepository,
    private readonly targets: MovedTargets,
  ) {}

  /** @throws AppError target_moved, target_checked_out, target_checkout_dirty, strategy_not_possible, repo_locked,
   *  delivery_in_progress, remote_refused, remote_unreachable, remote_auth_failed, remote_not_found */
  async land(
    subject: DeliverySubject,
    plan: PlannedMerge,
    message: string,
    with_checkout: boolean,
  ): Promise<NewDelivery> {
    const row = (await this.begunBefore(subject, plan)) ?? (await this.begin(subject, plan, message));
    await this.move(subject, plan.position.repo, row, with_checkout);
    await this.moved(subject, plan.position.repo, row);
    return row;
  }

  /** @throws as `land` */
  async undo(subject: DeliverySubject, repo: AttemptRepo, merged: Delivery, with_checkout: boolean): Promise<void> {
    const row = { ...merged, state: 'undoing' as const };
    await this.database.transaction((tx) => this.deliveryRows.update(tx, row.id, { state: row.state }));
    await this.move(subject, repo, row, with_checkout);
    await this.moved(subject, repo, row);
  }

  /** Settles what a crash or a lost answer left, as far as the targets tell by now. */
  async settle(subject: DeliverySubject): Promise<void> {
    const rows = await this.deliveryRows.listUnsettled(subject.attempt.id, 'merge');
    if (rows.length === 0) return;
    const repos = await this.attemptRows.listRepos(subject.attempt.id);
    for (const row of rows) {
      const repo = repos.find(({ repo_id }) => repo_id === row.repo_id)!;
      const fate = await this.fateInTime(subject.workspace, repo, row);
      if (fate === 'moved') await this.moved(subject, repo, row);
      if (fate === 'stayed') await this.stayed(row, 'target_moved');
    }
  }

  /** The latest merge of each repository that is not undone. */
  listMerged(attempt_id: string): Promise<Delivery[]> {
    return this.deliveryRows.listUndoable(attempt_id);
  }

  async markPartly(attempt_id: string): Promise<void> {
    await this.database.transaction((tx) => this.attemptRows.setDeliveryState(tx, attempt_id, 'partly_delivered'));
  }

  private async begin(
    { workspace, attempt, principal }: DeliverySubject,
    { position, strategy }: PlannedMerge,
    message: string,
  ): Promise<NewDelivery> {
    const { repo, standing } = position;
    const { commit: target_commit, remote } = standing.target!;
    const work = { strategy, source_commit: standing.head, target_commit, tree: standing.preview!.tree! };
    const row: NewDelivery = {
      ...newDelivery(position, attempt, principal),
      kind: 'merge',
      strategy,
      target_branch: repo.target_branch,
      remote,
      target_before: target_commit,
      target_after: await this.host.makeLanding(workspace, { repo_name: repo.repo_name, message, ...work }),
    };
    await this.database.transaction((tx) => this.deliveryRows.insert(tx, row));
    return row;
  }

  /** The same landing with an unknown outcome: landing the same commit from the same tip again is harmless.
   *  @throws AppError delivery_in_progress if a different one is open */
  private async begunBefore(
    { attempt }: DeliverySubject,
    { position, strategy }: PlannedMerge,
  ): Promise<Delivery | null> {
    const { repo, standing } = position;
    const rows = await this.deliveryRows.listUnsettled(attempt.id, 'merge');
    const row = rows.find(({ repo_id }) => repo_id === repo.repo_id);
    if (row === undefined) return null;
    const isSame = row.source_commit === standing.head && row.target_before === standing.target!.commit;
    if (row.state === 'landing' && isSame && row.strategy === strategy) return row;
    throw new AppError('delivery_in_progress', { attempt_id: attempt.id });
  }

  /** If the answer is lost, asks the target. While that does not tell, the row stays open and is checked again.
   *  @throws AppError why the target did not move, or may not have moved */
  private async move(
    { workspace, attempt }: DeliverySubject,
    repo: AttemptRepo,
    row: Row,
    with_checkout: boolean,
  ): Promise<void> {
    const [from, to] = endsOf(row);
    try {
      await this.lanes.requireAlone(attempt.id);
      const { repo_name } = repo;
      requireLanded(await this.host.land(onTarget(workspace, repo, row), { repo_name, from, to, with_checkout }), repo);
    } catch (error) {
      const refused = toAppError(error);
      const fate = isDecided(refused) ? 'stayed' : await this.fateOf(workspace, repo, row).catch(() => 'open');
      if (fate === 'moved') return;
      if (fate === 'stayed') await this.stayed(row, refused?.code ?? 'internal_error');
      throw error;
    }
  }

  /** An open move counts as failed once no call can still be running. */
  private async fateInTime(workspace: Workspace, repo: AttemptRepo, row: UnsettledDelivery): Promise<Fate> {
    const fate = await this.fateOf(workspace, repo, row);
    if (fate !== 'open') return fate;
    const lasts = row.remote === null ? LOCAL_GRACE_SECS : this.environment.GIT_REMOTE_TIMEOUT_SECS;
    if (row.age_secs >= lasts) return 'stayed';
    if (row.remote !== null) return 'open';
    await delay((lasts - row.age_secs) * 1_000);
    return this.fateInTime(workspace, repo, { ...row, age_secs: lasts });
  }

  /** @throws AppError where the target cannot be read */
  private async fateOf(workspace: Workspace, repo: AttemptRepo, row: Row): Promise<Fate> {
    const [from] = endsOf(row);
    const target = await this.host.targetTip(onTarget(workspace, repo, row), repo.repo_name, row.target_after);
    if (target.holds === (row.state !== 'undoing')) return 'moved';
    return target.tip === from ? 'open' : 'stayed';
  }

  private async moved(subject: DeliverySubject, repo: AttemptRepo, row: Row): Promise<void> {
    if (row.state === 'undoing') await this.undone(repo, row, subject.principal);
    else await this.merged(subject, repo, row);
    this.targets.moved(row);
  }

  private async merged({ workspace, principal }: DeliverySubject, repo: AttemptRepo, row: Row): Promise<void> {
    const head = await this.tipAfter(workspace, repo.repo_name, row);
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'merged' });
      await this.attemptRows.setDelivered(tx, row, head, head);
      await this.trace.merged(tx, row, principal);
      await this.checkRows.outdateTarget(tx, repo);
    });
  }

  private async undone(repo: AttemptRepo, row: Row, principal: Principal): Promise<void> {
    // A branch that was moved to the merge commit is based on that commit's parent again.
    const base = repo.delivered_head === row.target_after ? row.target_before : row.base_before;
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'undone' });
      await this.attemptRows.setDelivered(tx, repo, null, base);
      await this.trace.undone(tx, row, principal);
      await this.checkRows.outdateTarget(tx, repo);
    });
  }

  private async stayed(row: Row, error_code: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (row.state === 'undoing') return this.deliveryRows.update(tx, row.id, { state: 'merged' });
      await this.deliveryRows.update(tx, row.id, { state: 'failed', error_code });
      await this.trace.failed(tx, row, error_code);
    });
  }

  /** Where the attempt's branch goes on: after a squash on its commit, as it would else conflict with itself. */
  private async tipAfter(workspace: Workspace, repo_name: string, row: Row): Promise<string> {
    if (row.strategy === 'squash') return this.host.anchor(workspace, repo_name, row.target_after);
    return row.strategy === 'merge' ? row.source_commit : row.target_after;
  }
}

/** @returns the commits its target moves from and to */
const endsOf = ({ state, target_before, target_after }: Row): [string, string] =>
  state === 'undoing' ? [target_after, target_before!] : [target_before!, target_after];

/** The attempt may have been retargeted since. */
const onTarget = (workspace: Workspace, { repo_name }: AttemptRepo, { target_branch }: Row): Workspace => ({
  ...workspace,
  repos: workspace.repos.map((repo) => (repo.repo_name === repo_name ? { ...repo, target_branch } : repo)),
});

const UNKNOWN = ['remote_unreachable', 'workspace_unavailable', 'git_failed', 'database_unavailable'];

/** True if nothing has moved and nothing will. */
export const isDecided = (refused: AppError | null): boolean => refused !== null && !UNKNOWN.includes(refused.code);

/** @throws AppError with what kept the branch where it is */
function requireLanded(landing: Landing, { repo_name, target_branch }: AttemptRepo): void {
  if (landing.outcome === 'landed') return;
  if (landing.outcome === 'moved') throw new AppError('target_moved', { repo_name, target_branch });
  if (landing.outcome === 'locked') throw new AppError('repo_locked', { repo_name, target_branch });
  const { worktree, clean } = landing.checkout;
  if (landing.outcome === 'checked_out')
    throw new AppError('target_checked_out', { repo_name, target_branch, worktree, clean });
  throw new AppError('target_checkout_dirty', { repo_name, target_branch, worktree, reason: landing.reason });
}
