import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { DeliveriesService } from './deliveries.service.js';
import { isDelivered, type RepoPosition, stateOfRepo, toConflictOutput } from './delivery-output.js';
import { contentMoved, headMoved } from './expected-work.js';
import { isOpen } from './pull-request.entity.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Checkout } from '../git/landing.js';
import type { MergeStrategy, WorkCommit } from '../workspaces/delivery-host.js';
import { unknownBranch, type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { MergeInput, MergeStatus } from './merge-attempt.dto.js';

/** What a merge would do in one repository. */
export interface PlannedMerge {
  position: RepoPosition;
  strategy: MergeStrategy;
  status: Extract<MergeStatus, 'landed' | 'already_delivered' | 'nothing_to_deliver' | 'conflict' | 'failed'>;
  refusal: AppError | null;
}

const LISTED_BRANCHES = 10;

/** Looks at every repository before anything moves. */
@Injectable()
export class MergePlan {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly deliveries: DeliveriesService,
  ) {}

  /** @param commit comes before the look
   *  @returns the plan of all repositories of the attempt, also of those that are not asked for */
  async make(workspace: Workspace, input: MergeInput, commit?: WorkCommit): Promise<PlannedMerge[]> {
    const [positions, checkouts] = await Promise.all([
      this.deliveries.positions(workspace, input.dry_run ? 'anew' : 'must', commit),
      this.deliveries.checkouts(workspace),
    ]);
    return Promise.all(
      positions.map((position) =>
        this.plan(workspace, position, checkouts.get(position.repo.repo_name) ?? null, input),
      ),
    );
  }

  private async plan(
    workspace: Workspace,
    position: RepoPosition,
    checkout: Checkout | null,
    input: MergeInput,
  ): Promise<PlannedMerge> {
    const strategy = input.strategy ?? 'squash';
    const { standing } = position;
    // The forge has merged it: a merge here would make the same work a second commit.
    if (stateOfRepo(position) === 'pr_merged')
      return { position, strategy, status: 'already_delivered', refusal: null };
    const refusal = await this.refusalOf(workspace, position, input, strategy);
    if (refusal === null && isDelivered(standing)) return { position, strategy, status: doneBefore(position), refusal };
    const kept = refusal ?? (standing.target?.remote === null ? checkoutRefusal(position, checkout, input) : null);
    if (kept?.code === 'merge_conflict') return { position, strategy, status: 'conflict', refusal: kept };
    return { position, strategy, status: kept === null ? 'landed' : 'failed', refusal: kept };
  }

  private async refusalOf(
    { branch }: Workspace,
    position: RepoPosition,
    input: MergeInput,
    strategy: MergeStrategy,
  ): Promise<AppError | null> {
    const { repo, standing, pull_request } = position;
    const { repo_name } = repo;
    const { operation } = standing;
    if (operation !== null)
      return new AppError('operation_in_progress', {
        repo_name,
        operation: operation.report.operation,
        action: ['continue', 'abort'],
      });
    if (!standing.is_on_branch) return new AppError('branch_left', { repo_name, workspace_branch: branch });
    if (pull_request && isOpen(pull_request))
      return new AppError('pull_request_open', { repo_name, url: pull_request.url });
    if (standing.target === null) return unknownBranch(this.host, repo, LISTED_BRANCHES);
    // A merge has compared the head before it committed what was not committed yet.
    const moved = (input.dry_run ? headMoved(position, input) : null) ?? contentMoved(position, input);
    return moved ?? mergeRefusal({ repo, standing }, strategy);
  }
}

function checkoutRefusal(
  { repo: { repo_name, target_branch } }: RepoPosition,
  checkout: Checkout | null,
  { checked_out = 'refuse' }: MergeInput,
): AppError | null {
  if (checkout === null || (checked_out === 'update' && checkout.clean)) return null;
  const { worktree, clean } = checkout;
  if (checked_out === 'refuse')
    return new AppError('target_checked_out', { repo_name, target_branch, worktree, clean });
  const reason = 'it holds uncommitted changes';
  return new AppError('target_checkout_dirty', { repo_name, target_branch, worktree, reason });
}

/** Something of the attempt is in its target, or there never was anything. */
const doneBefore = ({ repo, standing: { head } }: RepoPosition): 'already_delivered' | 'nothing_to_deliver' =>
  head === repo.delivered_head || head !== repo.base_commit ? 'already_delivered' : 'nothing_to_deliver';

function mergeRefusal(
  { repo, standing }: Pick<RepoPosition, 'repo' | 'standing'>,
  strategy: MergeStrategy,
): AppError | null {
  const { repo_name, target_branch } = repo;
  if (standing.is_unrelated) return new AppError('unrelated_histories', { repo_name, target_branch });
  if (standing.preview?.conflict) return mergeConflict({ repo, standing });
  if (strategy !== 'ff' || standing.behind === 0 || isDelivered(standing)) return null;
  const reason = `${target_branch} has commits that the branch lacks`;
  return new AppError('strategy_not_possible', { repo_name, strategy, reason });
}

function mergeConflict({ repo, standing }: Pick<RepoPosition, 'repo' | 'standing'>): AppError {
  const report = toConflictOutput(repo, standing.preview!.conflict!);
  return new AppError('merge_conflict', {
    repo_id: report.repo_id,
    repo_name: report.repo_name,
    target_branch: repo.target_branch,
    operation: report.operation,
    source: report.source,
    target: report.target,
    base_commit: report.base_commit,
    step: report.step,
    file_count: report.file_count,
    truncated: report.truncated,
    files: report.files,
    finish: report.finish,
  });
}

interface MergedTask {
  title: string;
  description: string | null;
}

/** Title and first paragraph of the task, or what the caller gave, with trailers that name the attempt. Nothing that
 *  an agent said. */
export function mergeMessage(attempt: Pick<Attempt, 'id' | 'task_id'>, task: MergedTask, given?: string): string {
  const paragraph = task.description?.trim().split(/\n\s*\n/)[0] ?? '';
  const text = given?.trim() || [task.title.trim(), paragraph].filter(Boolean).join('\n\n');
  return `${text}\n\nTaskyard-Task: ${attempt.task_id}\nTaskyard-Attempt: ${attempt.id}\n`;
}
