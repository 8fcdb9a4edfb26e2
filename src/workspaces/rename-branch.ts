import { AppError } from '../platform/errors/app-error.js';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { requireBranchName } from './workspace-host.js';
import type { Workspace, WorkspaceRepo } from './workspace-paths.js';

/** Renames the branch in every repository, or in none; the worktrees follow.
 *  @throws AppError branch_taken, invalid_argument; GitError */
export async function renameBranch(git: Git, { branch, repos }: Workspace, to: string): Promise<void> {
  requireBranchName('branch', to);
  const done: WorkspaceRepo[] = [];
  for (const repo of repos) {
    try {
      await rename(git, repo, branch, to);
      done.push(repo);
    } catch (error) {
      // Best effort: the original failure is the one reported.
      for (const { repo_path } of done) await move(git, repo_path, to, branch).catch(() => undefined);
      throw error;
    }
  }
}

async function rename(git: Git, { repo_name, repo_path }: WorkspaceRepo, from: string, to: string): Promise<void> {
  try {
    await move(git, repo_path, from, to);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.says(/already exists|exists; cannot create/))
      throw new AppError('branch_taken', { repo_name, branch: to });
    throw error;
  }
}

const move = (git: Git, repo_path: string, from: string, to: string) =>
  git.run(repo_path, ['branch', '--move', '--', from, to]);
