import { AppError } from '../platform/errors/app-error.js';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { RENAME } from './inside-scripts.js';
import type { Place } from './standing.js';
import { requireBranchName } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Renames the branch in every repository, or in none; the worktrees follow.
 *  @throws AppError branch_taken, invalid_argument; GitError */
export async function renameBranch(tools: WorkspaceTools, places: readonly Place[], to: string): Promise<void> {
  requireBranchName('branch', to);
  const done: Place[] = [];
  for (const place of places) {
    try {
      await rename(tools, place, to);
      done.push(place);
    } catch (error) {
      // Best effort: the original failure is the one reported.
      for (const one of done) await moveBack(tools, one, to).catch(() => undefined);
      throw error;
    }
  }
}

/** What git refuses for the user's repository it refuses for that of the run. */
async function rename(tools: WorkspaceTools, { repo, tree }: Place, to: string): Promise<void> {
  const { repo_name, repo_path } = repo;
  try {
    await move(tools.git, repo_path, tree.branch, to);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.says(/already exists|exists; cannot create/))
      throw new AppError('branch_taken', { repo_name, branch: to });
    throw error;
  }
  await tools.inside.run({ ...tree, branch: to }, { target: 'own', script: RENAME, args: [tree.branch, to] });
}

async function moveBack({ git, inside }: WorkspaceTools, { repo, tree }: Place, from: string): Promise<void> {
  await move(git, repo.repo_path, from, tree.branch);
  await inside.run(tree, { target: 'own', script: RENAME, args: [from, tree.branch] });
}

const move = (git: Git, repo_path: string, from: string, to: string) =>
  git.run(repo_path, ['branch', '--move', '--', from, to]);
