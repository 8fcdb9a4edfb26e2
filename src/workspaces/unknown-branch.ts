import { AppError } from '../platform/errors/app-error.js';
import type { WorkspaceHost, WorkspaceRepo } from './workspace-host.js';

/** For a target branch that the repository does not have: names those that it has. @throws AppError git_failed */
export async function unknownBranch(
  host: Pick<WorkspaceHost, 'branches'>,
  { repo_name, repo_path, target_branch }: Pick<WorkspaceRepo, 'repo_name' | 'repo_path' | 'target_branch'>,
  most: number,
): Promise<AppError> {
  return new AppError('branch_unknown', { repo_name, target_branch, known: await host.branches(repo_path, most) });
}
