import { chmod, lstat, readdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { exists, ifThere } from '../git/if-there.js';
import { listBranches } from '../git/refs.js';
import { commonDirOf } from '../git/repository.js';
import { AppError } from '../platform/errors/app-error.js';
import { unknownBranch, type Workspace, type WorkspaceRepo } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

const LISTED_BRANCHES = 10;

/** The worktree of one repository, found on disk. */
export interface TreePlace {
  repo_name: string;
  repo_path: string;
  dir: string;
  /** What the server itself reads of it. */
  store: string;
  /** Common folder of the user's repository. */
  common: string;
  branch: string;
  /** The run has broken its own repository: the files are seen through the store alone. */
  isDamaged: boolean;
}
export interface Tree extends TreePlace {
  base_commit: string;
}

/** @throws AppError workspace_not_ready before the first preparation; workspace_lost with its reason when a worktree is
 *  gone or its repository damaged */
export function locateTrees(git: Git, paths: WorkspacePaths, workspace: Workspace): Promise<Tree[]> {
  return Promise.all(
    workspace.repos.map(async (repo) => {
      if (repo.base_commit === null) throw new AppError('workspace_not_ready', { attempt_id: workspace.attempt_id });
      const place = await placeOf(git, paths, workspace, repo);
      if (typeof place === 'string') throw workspaceLost(workspace, place);
      if (place.isDamaged) throw workspaceLost(workspace, damage(repo.repo_name));
      return { ...place, base_commit: repo.base_commit };
    }),
  );
}

/** Those that exist and are intact. */
export async function presentTrees(git: Git, paths: WorkspacePaths, workspace: Workspace): Promise<TreePlace[]> {
  const places = await Promise.all(workspace.repos.map((repo) => placeOf(git, paths, workspace, repo)));
  return places.filter((place) => typeof place !== 'string').filter(({ isDamaged }) => !isDamaged);
}

/** @returns the reason where there is none to work with */
export async function placeOf(
  git: Git,
  paths: WorkspacePaths,
  { attempt_id, branch }: Workspace,
  { repo_name, repo_path }: WorkspaceRepo,
): Promise<TreePlace | string> {
  const dir = paths.worktree(attempt_id, repo_name);
  if (!(await isOwnFolder(dir))) return `the folder of ${repo_name} is gone`;
  const common = await commonDirIfThere(git, repo_path);
  if (common === null) return `the repository of ${repo_name} is gone`;
  const store = paths.store(attempt_id, repo_name);
  if (!(await exists(path.join(store, 'HEAD')))) return `the store of ${repo_name} is gone`;
  return { repo_name, repo_path, dir, store, common, branch, isDamaged: await isDamaged(dir) };
}

/** Whether the run's own repository no longer looks like one. */
export async function isDamaged(dir: string): Promise<boolean> {
  const own = path.join(dir, '.git');
  const entries = [own, ...['objects', 'HEAD', 'commondir'].map((name) => path.join(own, name))];
  const [folder, objects, head, elsewhere] = await Promise.all(entries.map((entry) => ifThere(lstat(entry))));
  return !(folder?.isDirectory() && objects?.isDirectory() && head?.isFile() && !elsewhere);
}

export const damage = (repo_name: string): string => `${repo_name}: its .git folder is gone or damaged`;

/** True once the tree was checked out: git writes the index last. */
export async function isFilled({ dir }: Pick<TreePlace, 'dir'>): Promise<boolean> {
  return (await ifThere(lstat(path.join(dir, '.git/index')))) !== null;
}

/** For a target branch that the repository does not have. @throws GitError */
export const branchUnknown = (git: Git, repo: WorkspaceRepo): Promise<AppError> =>
  unknownBranch({ branches: (repo_path, most) => listBranches(git, repo_path, most) }, repo, LISTED_BRANCHES);

/** Null when the user has removed the repository. @throws GitError */
export async function commonDirIfThere(git: Git, repo_path: string): Promise<string | null> {
  try {
    return await commonDirOf(git, repo_path);
  } catch (error) {
    if (
      error instanceof GitError &&
      error.says(/not a git repository|cannot change to .*: (No such file or directory|Not a directory)/i)
    )
      return null;
    throw error;
  }
}

export function workspaceLost({ attempt_id, branch }: Workspace, reason: string): AppError {
  return new AppError('workspace_lost', { attempt_id, workspace_branch: branch, reason });
}

/** False if an agent has replaced the folder, or one above it, by a link. */
export async function isOwnFolder(dir: string): Promise<boolean> {
  return (await ifThere(realpath(dir))) === dir;
}

/** Moves a folder of ours away at once; a link is removed, not its target.
 *  @returns what is left to remove, or null where there was nothing */
export async function moveToTrash(paths: WorkspacePaths, folder: string): Promise<string | null> {
  const isBelowRoot = folder.startsWith(`${paths.root}/`) && (await isOwnFolder(path.dirname(folder)));
  if (!isBelowRoot) return null;
  const trash = paths.trash();
  return rename(folder, trash).then(() => trash, ignoreMissing);
}

/** Removes what `moveToTrash` has left, including read-only folders such as module caches. */
export async function emptyTrash(trash: string | null): Promise<void> {
  if (trash === null) return;
  const remove = () => rm(trash, { recursive: true, force: true });
  try {
    await remove();
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await makeWritable(trash);
    await remove();
  }
}

export async function discardFolder(paths: WorkspacePaths, folder: string): Promise<void> {
  await emptyTrash(await moveToTrash(paths, folder));
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name));
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}
