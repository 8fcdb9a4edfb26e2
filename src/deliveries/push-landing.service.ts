import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Delivery, NewDelivery } from './delivery.entity.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { newDelivery, type RepoPosition } from './delivery-output.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { PushedBranch } from '../workspaces/delivery-host.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { DeliveryTrace } from './delivery-trace.js';
import { isDecided } from './merge-landing.service.js';

/** Pushes one repository. The row is written before the push, so that after a crash the remote tells the outcome. */
@Injectable()
export class PushLanding {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly lanes: DeliveryLanes,
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
    await this.begin(row);
    try {
      await this.lanes.requireAlone(attempt.id);
      const { repo_name } = position.repo;
      const pushed = await this.host.push(workspace, { repo_name, branch, head, last, overwrite });
      await this.succeed(row, { remote: pushed.remote, target_before: pushed.before }, principal);
      return pushed;
    } catch (error) {
      const refused = toAppError(error);
      if (isDecided(refused)) await this.fail(row, refused!.code);
      throw error;
    }
  }

  /** Settles what a crash or a lost answer left: the remote has the commit or not. Until no call can still be running,
   *  a missing commit may still arrive. */
  async settle({ workspace, principal }: DeliverySubject): Promise<void> {
    const rows = await this.deliveryRows.listUnsettled(workspace.attempt_id, 'push');
    if (rows.length === 0) return;
    const repos = await this.attemptRows.listRepos(workspace.attempt_id);
    for (const row of rows) {
      const repo_name = repos.find(({ repo_id }) => repo_id === row.repo_id)!.repo_name;
      const found = await this.found(workspace, repo_name);
      if (found?.commit === row.target_after) await this.succeed(row, { remote: found.remote }, principal);
      else if (row.age_secs >= this.environment.GIT_REMOTE_TIMEOUT_SECS) await this.fail(row, 'remote_unreachable');
    }
  }

  /** Replaces an open push of the same repository: by their leases, only one of the two can succeed. */
  private async begin(row: NewDelivery): Promise<void> {
    const unsettled = await this.deliveryRows.listUnsettled(row.attempt_id, 'push');
    await this.database.transaction(async (tx) => {
      for (const { id, repo_id } of unsettled)
        if (repo_id === row.repo_id)
          await this.deliveryRows.update(tx, id, { state: 'failed', error_code: 'remote_unreachable' });
      await this.deliveryRows.insert(tx, row);
    });
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
