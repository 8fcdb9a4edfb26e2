import { Inject, Injectable } from '@nestjs/common';
import type { ApprovedHead, DeliveryRequest } from '../approvals/approval.entity.js';
import { DeliveryApprovals } from '../approvals/delivery-approvals.service.js';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** A requested delivery. `shown` is shown to the person beside the diff summary. */
export interface AskedAct extends DeliveryRequest {
  act: Exclude<DeliveryRequest['act'], 'tampering'>;
  summary: string;
  shown: Record<string, unknown>;
}

/** Whose work it is, and who asks for it. */
export interface Asking {
  attempt: Attempt;
  workspace: Workspace;
  principal: Principal;
  /** Its deliveries need the approval of a person. */
  mayOnlyAsk: boolean;
}

const TOOLS = {
  merge: 'merge_attempt',
  undo: 'merge_attempt',
  push: 'push_attempt',
  pull_request: 'merge_pull_request',
} as const;
const LISTED_FILES = 100;

/** Requires the approval of a person, if the caller of a delivery needs one. */
@Injectable()
export class DeliveryConsent {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly approvals: DeliveryApprovals,
  ) {}

  /** Called when nothing else refuses the delivery, and before anything moves.
   *  @throws AppError approval_required if the caller may only request it */
  async require(subject: Asking, asked: AskedAct | null): Promise<void> {
    if (!subject.mayOnlyAsk || asked === null) return;
    const { summary, shown, ...delivery } = asked;
    const changes = await this.changes(subject.workspace);
    const approval_id = await this.approvals.ask({
      attempt: subject.attempt,
      tool_name: TOOLS[delivery.act],
      summary,
      input: { ...delivery.arguments, asked_by: subject.principal.actor.name, ...shown, changes },
      delivery,
    });
    throw new AppError('approval_required', { approval_id, attempt_id: subject.attempt.id });
  }

  /** Refuses anything that was not shown to the person. @throws AppError head_moved, uncommitted_changes */
  async requireUnmoved(workspace: Workspace, approved: readonly ApprovedHead[]): Promise<void> {
    const repos = workspace.repos.filter(({ repo_name }) => approved.some((one) => one.repo_name === repo_name));
    const selected = { ...workspace, repos };
    for (const { repo_name, head } of await this.host.heads(selected))
      if (approved.some((one) => one.repo_name === repo_name && one.head !== head))
        throw new AppError('head_moved', { repo_name, head });
    for (const repo of repos)
      if (await this.host.isDirty({ ...workspace, repos: [repo] }))
        throw new AppError('uncommitted_changes', { repo_name: repo.repo_name });
  }

  private async changes(workspace: Workspace): Promise<Record<string, unknown>> {
    const guard = { max_files: LISTED_FILES, max_lines: Number.MAX_SAFE_INTEGER, max_bytes: Number.MAX_SAFE_INTEGER };
    const { summary, files } = await this.host.changes(workspace, { guard, force: false });
    return { ...summary, files };
  }
}
