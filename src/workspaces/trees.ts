import { realpath } from 'node:fs/promises';
import { AppError } from '../platform/errors/app-error.js';
import { ifThere } from '../platform/git/if-there.js';
import { worktreeGitDir } from '../platform/git/git-dir.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** The worktree of one repository, found on disk. */
export interface TreePlace {
  repo_name: string;
  dir: string;
  gitDir: string;
}
export interface Tree extends TreePlace {
  base_commit: string;
}

/** @throws AppError workspace_not_ready before the first preparation, workspace_lost when a worktree is gone */
export function locateTrees(paths: WorkspacePaths, workspace: Workspace): Promise<Tree[]> {
  return Promise.all(
    workspace.repos.map(async ({ repo_name, base_commit }) => {
      if (base_commit === null) throw new AppError('workspace_not_ready', { attempt_id: workspace.attempt_id });
      const place = await placeOf(paths, workspace, repo_name);
      if (place === null) throw workspaceLost(workspace);
      return { ...place, base_commit };
    }),
  );
}

/** Those that are there. */
export async function presentTrees(paths: WorkspacePaths, workspace: Workspace): Promise<TreePlace[]> {
  const places = await Promise.all(workspace.repos.map(({ repo_name }) => placeOf(paths, workspace, repo_name)));
  return places.filter((place) => place !== null);
}

async function placeOf(paths: WorkspacePaths, { attempt_id }: Workspace, repo_name: string): Promise<TreePlace | null> {
  const dir = paths.worktree(attempt_id, repo_name);
  const gitDir = (await isOwnFolder(dir)) ? await worktreeGitDir(dir) : null;
  return gitDir === null ? null : { repo_name, dir, gitDir };
}

export function workspaceLost({ attempt_id, branch }: Workspace): AppError {
  return new AppError('workspace_lost', { attempt_id, workspace_branch: branch });
}

/** False when an agent has put a link in the place of the folder, or above it. */
export async function isOwnFolder(dir: string): Promise<boolean> {
  return (await ifThere(realpath(dir))) === dir;
}
