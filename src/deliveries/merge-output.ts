import type { AppError } from '../platform/errors/app-error.js';
import { nested } from '../platform/errors/nested-refusal.js';
import type { NewDelivery } from './delivery.entity.js';
import type { RepoMergeOutput } from './merge-attempt.dto.js';
import type { PlannedMerge } from './merge-plan.js';

/** What a merge would do to it. @param error why it would not */
export function forecast(plan: PlannedMerge, error: AppError | null): RepoMergeOutput {
  const output = toOutput(plan, [], error);
  return output.status === 'landed' ? { ...output, status: 'would_land' } : output;
}

/** What a merge did to a repository. @param error why it did not land */
export function toOutput(
  { position: { repo, standing }, strategy, status }: PlannedMerge,
  landed: readonly NewDelivery[],
  error: AppError | null,
): RepoMergeOutput {
  const row = landed.find(({ repo_id }) => repo_id === repo.repo_id);
  const isConflict = error?.code === 'merge_conflict';
  return {
    repo_id: repo.repo_id,
    repo_name: repo.repo_name,
    status: error === null ? status : isConflict ? 'conflict' : 'failed',
    strategy,
    commit: row?.target_after ?? null,
    target_before: standing.target?.commit ?? null,
    error: error && nested(error),
  };
}
