import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Delivery, NewDelivery } from '../deliveries/delivery.entity.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import { newDelivery } from '../deliveries/delivery-output.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { Landing } from '../platform/git/landing.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import type { PlannedMerge } from './merge-plan.js';
import { PushLanding } from './push-landing.service.js';

/** Lands in one repository. The row is written before the branch may move, so that a crash leaves nothing undecided:
 *  what became of it, the branch says. */
@Injectable()
export class MergeLanding {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly trace: DeliveryTrace,
    private readonly pushes: PushLanding,
  ) {}

  /** @throws AppError target_moved, target_checked_out, target_checkout_dirty, strategy_not_possible, repo_locked,
   *  remote_refused, remote_unreachable, remote_auth_failed, remote_not_found */
  async land(
    { workspace, attempt, principal }: DeliverySubject,
    { position, strategy }: PlannedMerge,
    message: string,
    with_checkout: boolean,
  ): Promise<NewDelivery> {
    const { repo, standing } = position;
    const { repo_name } = repo;
    const from = standing.target!.commit;
    const work = { strategy, source_commit: standing.head, target_commit: from, tree: standing.preview!.tree! };
    const to = await this.host.makeLanding(workspace, { repo_name, message, ...work });
    const row: NewDelivery = {
      ...newDelivery(position, attempt, principal),
      kind: 'merge',
      strategy,
      target_branch: repo.target_branch,
      remote: standing.target!.remote,
      target_before: from,
      target_after: to,
    };
    await this.database.transaction((tx) => this.deliveryRows.insert(tx, row));
    try {
      requireLanded(await this.host.land(workspace, { repo_name, from, to, with_checkout }), repo);
    } catch (error) {
      await this.fail(row, toAppError(error)?.code ?? 'internal_error');
      throw error;
    }
    await this.succeed(row, principal, await this.tipAfter(workspace, repo_name, row));
    return row;
  }

  /** Where the attempt's branch goes on: after a squash on its commit, as it would else conflict with itself. */
  private async tipAfter(workspace: Workspace, repo_name: string, row: NewDelivery | Delivery): Promise<string> {
    if (row.strategy === 'squash') return this.host.anchor(workspace, repo_name, row.target_after);
    return row.strategy === 'merge' ? row.source_commit : row.target_after;
  }

  /** The merges that stand, one a repository. */
  listMerged(attempt_id: string): Promise<Delivery[]> {
    return this.deliveryRows.listUndoable(attempt_id);
  }

  async markPartly(attempt_id: string): Promise<void> {
    await this.database.transaction((tx) => this.attemptRows.setDeliveryState(tx, attempt_id, 'partly_delivered'));
  }

  /** Decides what a crash left: the branch holds the commit, or it does not. */
  async settle(subject: DeliverySubject): Promise<void> {
    const { workspace, principal } = subject;
    await this.pushes.settle(subject);
    const rows = await this.deliveryRows.listLanding(workspace.attempt_id);
    if (rows.length === 0) return;
    const repos = await this.attemptRows.listRepos(workspace.attempt_id);
    for (const row of rows) {
      const repo_name = repos.find(({ repo_id }) => repo_id === row.repo_id)?.repo_name;
      if (repo_name !== undefined && (await this.host.holds(workspace, repo_name, row.target_after)))
        await this.succeed(row, principal, await this.tipAfter(workspace, repo_name, row));
      else await this.fail(row, 'target_moved');
    }
  }

  private async succeed(row: NewDelivery | Delivery, principal: Principal, head: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'merged' });
      await this.attemptRows.setDelivered(tx, row, head, head);
      await this.trace.merged(tx, row, principal);
    });
  }

  private async fail(row: NewDelivery | Delivery, error_code: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'failed', error_code });
      await this.trace.failed(tx, row, error_code);
    });
  }
}

/** @throws AppError with what kept the branch where it is */
export function requireLanded(
  landing: Landing,
  { repo_name, target_branch }: { repo_name: string; target_branch: string },
): void {
  if (landing.outcome === 'landed') return;
  if (landing.outcome === 'moved') throw new AppError('target_moved', { repo_name, target_branch });
  if (landing.outcome === 'locked') throw new AppError('repo_locked', { repo_name, target_branch });
  const { worktree, clean } = landing.checkout;
  if (landing.outcome === 'checked_out')
    throw new AppError('target_checked_out', { repo_name, target_branch, worktree, clean });
  throw new AppError('target_checkout_dirty', { repo_name, target_branch, worktree, reason: landing.reason });
}
