import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { chosenRepos, DeliveriesService } from '../deliveries/deliveries.service.js';
import type { AttemptDeliveryOutput } from '../deliveries/delivery.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { DeliverySubjects } from './delivery-subjects.service.js';
import type { RenameBranchInput, TargetBranchInput } from './retarget-attempt.dto.js';

const LISTED_BRANCHES = 10;

/** Changes the branches of an attempt: the name of its own, and where its work is to go. */
@Injectable()
export class RetargetAttemptService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
  ) {}

  /** @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost, branch_taken, invalid_argument */
  async renameBranch({ attempt_id, branch }: RenameBranchInput, principal: Principal): Promise<AttemptDeliveryOutput> {
    return this.subjects.alone(attempt_id, async () => {
      const { workspace } = await this.subjects.forRetarget(attempt_id, principal);
      if (branch !== workspace.branch) {
        await this.host.renameBranch(workspace, branch);
        await this.database.transaction((tx) => this.attemptRows.setBranch(tx, attempt_id, branch));
      }
      return this.deliveries.get({ attempt_id }, principal);
    });
  }

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, branch_unknown */
  async setTarget(
    { attempt_id, target_branch, repo_id }: TargetBranchInput,
    principal: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.subjects.alone(attempt_id, async () => {
      await this.subjects.forRetarget(attempt_id, principal);
      const rows = await this.attemptRows.listRepos(attempt_id);
      const repos = chosenRepos(rows, repo_id === undefined ? undefined : [repo_id]);
      for (const { repo_name, repo_path } of repos) {
        if (await this.host.branchExists(repo_path, target_branch)) continue;
        const known = await this.host.branches(repo_path, LISTED_BRANCHES);
        throw new AppError('branch_unknown', { repo_name, target_branch, known });
      }
      await this.database.transaction(async (tx) => {
        for (const repo of repos) await this.attemptRows.setTarget(tx, repo, target_branch);
      });
      return this.deliveries.get({ attempt_id }, principal);
    });
  }
}
