import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import { ApprovalsRepository } from '../approvals/approvals.repository.js';
import { DeliveryApprovals } from '../approvals/delivery-approvals.service.js';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import type { Principal } from '../platform/access/principal.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { TamperedFiles } from './tampered-files.js';

const TOOL = 'accept_changed_checks';
const PATCH_BYTES = 48 * 1024;
const NO_GUARD = { max_files: 100_000, max_lines: Number.MAX_SAFE_INTEGER, max_bytes: Number.MAX_SAFE_INTEGER };

interface Asking {
  attempt: Attempt;
  workspace: Workspace;
  principal: Principal;
}

/** Changed files that decide the checks need the yes of a person, for exactly these commits. */
@Injectable()
export class TamperingConsent {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly files: TamperedFiles,
    private readonly approvalRows: ApprovalsRepository,
    private readonly approvals: DeliveryApprovals,
    private readonly attemptRows: AttemptsRepository,
    private readonly workspaces: ReadyWorkspaces,
  ) {}

  /** As far as the worktrees can be looked at now. @returns `<repo_name>/<path>` */
  async look({ id, workspace_state }: Attempt, principal: Principal): Promise<string[]> {
    if (workspace_state !== 'ready') return [];
    try {
      const workspace = await this.workspaces.ready(id, principal);
      const [repos, heads] = await Promise.all([this.attemptRows.listRepos(id), this.host.heads(workspace)]);
      const placed = repos.flatMap(({ repo_id, repo_name }) => {
        const head = heads.find((one) => one.repo_name === repo_name)?.head;
        return head === undefined ? [] : [{ repo_id, repo_name, head }];
      });
      return await this.unanswered(workspace, placed);
    } catch (error) {
      if (toAppError(error) === null) throw error;
      return []; // a delivery looks again, and is refused where that fails
    }
  }

  /** Those that nobody has accepted. @returns `<repo_name>/<path>` */
  async unanswered(workspace: Workspace, heads: readonly ApprovedHead[]): Promise<string[]> {
    const of = { ...workspace, repos: workspace.repos.filter(({ repo_name }) => heads.some(isOf(repo_name))) };
    const paths = await this.files.of(of, heads);
    if (paths.length === 0) return paths;
    const accepted = await this.approvalRows.listApprovedDeliveries(workspace.attempt_id, TOOL);
    return accepted.some(({ delivery }) => covers(delivery?.heads ?? [], heads)) ? [] : paths;
  }

  /** Asks for it, with the diff of just those files. @returns the id of the request */
  async ask(
    { attempt, workspace, principal }: Asking,
    heads: readonly ApprovedHead[],
    paths: string[],
  ): Promise<string> {
    const { patch, truncated } = await this.host.patch(workspace, {
      paths: paths.slice(0, 100),
      guard: NO_GUARD,
      force: true,
      at: heads.map(headOf),
      max_bytes: PATCH_BYTES,
    });
    return this.approvals.ask({
      attempt,
      tool_name: TOOL,
      summary: `accept changes of ${paths.length} files that decide the checks of ${workspace.branch}`,
      input: { attempt_id: attempt.id, asked_by: principal.actor.name, files: paths, patch, is_truncated: truncated },
      delivery: { act: 'tampering', arguments: { attempt_id: attempt.id }, heads: heads.map(headOf) },
    });
  }
}

const isOf = (name: string) => (one: ApprovedHead) => one.repo_name === name;
const headOf = ({ repo_id, repo_name, head }: ApprovedHead): ApprovedHead => ({ repo_id, repo_name, head });

/** Whether each of these was shown. */
const covers = (shown: readonly ApprovedHead[], heads: readonly ApprovedHead[]): boolean =>
  heads.every((head) => shown.some((one) => isDeepStrictEqual(one, headOf(head))));
