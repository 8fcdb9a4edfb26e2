import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { isOpen, type PullRequestRow } from '../deliveries/pull-request.entity.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import { PullRequestTrace } from './pull-request-trace.js';

/** Consequences of a pull request's state for its attempt and task. Repeated until nothing of the task runs, so that a
 *  merge during a run counts at its end. */
@Injectable()
export class PullRequestEnds {
  constructor(
    private readonly database: Database,
    private readonly workspaces: ReadyWorkspaces,
    private readonly deliveries: DeliveriesService,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly trace: PullRequestTrace,
  ) {}

  async settle(row: PullRequestRow, principal: Principal): Promise<PullRequestRow> {
    const state = await this.deliveries.stateOf(await this.workspaces.ready(row.attempt_id, localOwner));
    return this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, localOwner, row.attempt_id);
      const now = await this.pullRequestRows.lock(tx, row.id);
      if (now.is_settled || now.state !== row.state) return now;
      const delivery_id = now.state === 'merged' ? (now.delivery_id ?? (await this.deliver(tx, now, principal))) : null;
      if (now.state === 'closed') await this.trace.closed(tx, now, principal);
      await this.trace.shows(tx, attempt.id, state, now.url);
      const isLive = (await this.executionRows.findLiveOfTask(now.task_id)) !== null;
      if (!isLive && isDone(state) && !isOpen(now)) await this.trace.taskDone(tx, now, delivery_id, principal);
      const after = { delivery_id, is_settled: now.state !== 'merged' || !isLive };
      await this.pullRequestRows.update(tx, now.id, after);
      return { ...now, ...after };
    });
  }

  /** The merge as a delivery. @returns its id */
  private async deliver(tx: Transaction, row: PullRequestRow, principal: Principal): Promise<string> {
    const id = newId();
    const { attempt_id, repo_id, task_id, project_id, head_commit, base_branch, merge_commit } = row;
    const repo = (await this.attemptRows.listRepos(attempt_id)).find((one) => one.repo_id === repo_id);
    await this.deliveryRows.insert(tx, {
      ...{ id, attempt_id, repo_id, task_id, project_id },
      kind: 'pull_request',
      state: 'merged',
      strategy: null,
      source_commit: head_commit,
      target_branch: base_branch,
      target_before: null,
      target_after: merge_commit ?? head_commit,
      base_before: repo?.base_commit ?? null,
      remote: row.forge_host,
      moved_task: false,
      error_code: null,
      requested_by: principal.actor.name,
    });
    await this.attemptRows.setDelivered(tx, row, head_commit, repo?.base_commit ?? null);
    await this.trace.merged(tx, row, principal);
    return id;
  }
}

const isDone = (state: DeliveryState): boolean => state === 'merged' || state === 'pr_merged';
