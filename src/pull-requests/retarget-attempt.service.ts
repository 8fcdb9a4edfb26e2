import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { chosenRepos, DeliveriesService } from '../deliveries/deliveries.service.js';
import type { AttemptDeliveryOutput, RenameBranchInput, TargetBranchInput } from '../deliveries/delivery.dto.js';
import { isOpen, type PullRequestRow } from '../deliveries/pull-request.entity.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import {
  requireBranchName,
  unknownBranch,
  type Workspace,
  WORKSPACE_HOST,
  type WorkspaceHost,
} from '../workspaces/workspace-host.js';
import { DeliveryLanes } from '../deliveries/delivery-lanes.js';
import { DeliveryTrace } from '../deliveries/delivery-trace.js';
import { DeliverySubjects } from '../deliveries/delivery-subjects.service.js';
import { PullRequestSync } from './pull-request-sync.service.js';

const LISTED_BRANCHES = 10;

/** Renames the branch of an attempt, and changes its target. */
@Injectable()
export class RetargetAttemptService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly lanes: DeliveryLanes,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly trace: DeliveryTrace,
    private readonly attemptRows: AttemptsRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly forges: ForgesService,
    private readonly sync: PullRequestSync,
  ) {}

  /** Not with an open pull request, which the forge identifies by the branch name.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost, pull_request_open, branch_taken,
   *  invalid_argument */
  async renameBranch({ attempt_id, branch }: RenameBranchInput, principal: Principal): Promise<AttemptDeliveryOutput> {
    requireBranchName('branch', branch);
    return this.lanes.alone(attempt_id, async () => {
      const { attempt, workspace } = await this.subjects.forRetarget(attempt_id, principal);
      if (branch !== workspace.branch) {
        await this.requireNoPullRequest(attempt_id);
        await this.host.renameBranch(workspace, branch);
        await this.database.transaction(async (tx) => {
          await this.attemptRows.setBranch(tx, attempt_id, branch);
          await this.trace.changed(
            tx,
            attempt,
            'branch_renamed',
            { before: workspace.branch, after: branch },
            principal,
          );
        });
      }
      return this.deliveries.get({ attempt_id }, principal);
    });
  }

  /** Retargets an open pull request, too. If its forge refuses, nothing changes here either; repositories before it
   *  stay changed, and repeating the call continues.
   *  @throws AppError invalid_argument, attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost,
   *  branch_unknown, target_not_on_remote, no_remote, forge_unconfigured, forge_failed, forge_rate_limited,
   *  forge_auth_failed */
  async setTarget(
    { attempt_id, target_branch, repo_id }: TargetBranchInput,
    principal: Principal,
  ): Promise<AttemptDeliveryOutput> {
    requireBranchName('target_branch', target_branch);
    return this.lanes.alone(attempt_id, async () => {
      const { attempt, workspace } = await this.subjects.forRetarget(attempt_id, principal);
      if (target_branch === workspace.branch)
        throw refusal([{ field: 'target_branch', message: 'must not be the branch of the attempt itself' }]);
      const rows = await this.attemptRows.listRepos(attempt_id);
      const repos = chosenRepos(rows, repo_id === undefined ? undefined : [repo_id]);
      for (const { repo_name, repo_path } of repos) {
        if (await this.host.branchExists(repo_path, target_branch)) continue;
        throw await unknownBranch(this.host, { repo_name, repo_path, target_branch }, LISTED_BRANCHES);
      }
      const pullRequests = await this.openPullRequests(attempt_id);
      for (const repo of repos) {
        const row = pullRequests.find((one) => one.repo_id === repo.repo_id);
        if (row) await this.retarget(workspace, repo, row, target_branch, principal);
        const details = { repo_id: repo.repo_id, before: repo.target_branch, after: target_branch };
        await this.database.transaction(async (tx) => {
          await this.attemptRows.setTarget(tx, repo, target_branch);
          await this.trace.changed(tx, attempt, 'target_changed', details, principal);
        });
      }
      return this.deliveries.get({ attempt_id }, principal);
    });
  }

  private async retarget(
    workspace: Workspace,
    { repo_name, repo_path }: AttemptRepo,
    row: PullRequestRow,
    target_branch: string,
    principal: Principal,
  ): Promise<void> {
    // Changing a pull request takes the right to deliver, changing a target only the right to write.
    await this.attemptRows.get(withRight(principal, rightOf({ scope: 'deliver' })), workspace.attempt_id);
    const { remote } = await this.host.remoteOf(workspace, repo_name);
    const base_branch = target_branch.startsWith(`${remote}/`) ? target_branch.slice(remote.length + 1) : target_branch;
    if (!(await this.host.branchExists(repo_path, `${remote}/${base_branch}`)))
      throw new AppError('target_not_on_remote', { repo_name, target_branch });
    await this.forges.get(row.forge_host).update(row.forge_repository, row.pr_number, { base_branch });
    await this.sync.refresh(row, principal);
  }

  private async requireNoPullRequest(attempt_id: string): Promise<void> {
    const [open] = await this.openPullRequests(attempt_id);
    if (!open) return;
    const repos = await this.attemptRows.listRepos(attempt_id);
    const { repo_name } = repos.find(({ repo_id }) => repo_id === open.repo_id)!;
    throw new AppError('pull_request_open', { repo_name, url: open.url });
  }

  /** Current as far as their forges answer. */
  private async openPullRequests(attempt_id: string): Promise<PullRequestRow[]> {
    const rows = (await this.pullRequestRows.listLatest(attempt_id)).filter(isOpen);
    return (await Promise.all(rows.map((row) => this.sync.refresh(row)))).filter(isOpen);
  }
}
