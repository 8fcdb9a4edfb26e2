import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Delivery, NewDelivery } from '../deliveries/delivery.entity.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import { newDelivery, type RepoPosition } from '../deliveries/delivery-output.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { PushedBranch } from '../workspaces/delivery-host.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';

/** Pushes one repository. The row is written before anything leaves, so that a crash leaves nothing undecided: what
 *  became of it, the remote says. */
@Injectable()
export class PushLanding {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly trace: DeliveryTrace,
  ) {}

  /** @throws AppError as DeliveryHost.push */
  async push(
    { workspace, attempt, principal }: DeliverySubject,
    position: RepoPosition,
    overwrite: string | null,
  ): Promise<PushedBranch> {
    const { head, branch } = position.standing;
    const last = position.pushed?.target_branch === branch ? position.pushed.target_after : null;
    const row: NewDelivery = {
      ...newDelivery(position, attempt, principal),
      kind: 'push',
      strategy: null,
      target_branch: branch,
      target_before: last,
      target_after: head,
      remote: null,
    };
    await this.database.transaction((tx) => this.deliveryRows.insert(tx, row));
    try {
      const { repo_name } = position.repo;
      const pushed = await this.host.push(workspace, { repo_name, branch, head, last, overwrite });
      await this.succeed(row, { remote: pushed.remote, target_before: pushed.before }, principal);
      return pushed;
    } catch (error) {
      await this.fail(row, toAppError(error)?.code ?? 'internal_error');
      throw error;
    }
  }

  /** Decides what a crash left: the remote has the commit, or it does not. Where it cannot be asked the push counts as
   *  failed; the next one finds out by itself. */
  async settle({ workspace, principal }: DeliverySubject): Promise<void> {
    const rows = (await this.deliveryRows.listLanding(workspace.attempt_id)).filter(({ kind }) => kind === 'push');
    if (rows.length === 0) return;
    const repos = await this.attemptRows.listRepos(workspace.attempt_id);
    for (const row of rows) {
      const repo_name = repos.find(({ repo_id }) => repo_id === row.repo_id)!.repo_name;
      const found = await this.found(workspace, repo_name);
      if (found?.commit === row.target_after) await this.succeed(row, { remote: found.remote }, principal);
      else await this.fail(row, 'remote_unreachable');
    }
  }

  private async found(workspace: DeliverySubject['workspace'], repo_name: string) {
    try {
      return await this.host.pushedBranch(workspace, repo_name);
    } catch (error) {
      if (toAppError(error) === null) throw error;
      return null;
    }
  }

  private async succeed(
    row: NewDelivery | Delivery,
    found: Partial<Pick<Delivery, 'remote' | 'target_before'>>,
    principal: Principal,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'pushed', ...found });
      await this.trace.pushed(tx, { ...row, ...found }, principal);
    });
  }

  private async fail(row: NewDelivery | Delivery, error_code: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'failed', error_code });
      await this.trace.failed(tx, row, error_code);
    });
  }
}
