import path from 'node:path';
import { worktreeGitDir } from '../platform/git/git-dir.js';
import type { Confinement } from '../platform/sandbox/sandbox.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** What git must write of a repository that several worktrees share; never its hooks, configuration or attributes. */
const WRITTEN = ['objects', 'refs', 'logs'];

/** The attempt's own folder, and of its repositories what a commit touches. */
export async function confinementOf(paths: WorkspacePaths, { attempt_id, repos }: Workspace): Promise<Confinement> {
  const gitDirs = await Promise.all(
    repos.map(({ repo_name }) => worktreeGitDir(paths.worktree(attempt_id, repo_name))),
  );
  const own = gitDirs.filter((gitDir) => gitDir !== null);
  const common = own.map((gitDir) => path.join(gitDir, '../..'));
  const shared = common.flatMap((folder) => WRITTEN.map((name) => path.join(folder, name)));
  return { writable: [paths.attempt(attempt_id), ...own, ...shared], readable: common };
}
