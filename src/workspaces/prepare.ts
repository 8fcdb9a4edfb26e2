import { readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../platform/git/if-there.js';
import { isFilled, fillWorktree, forgetWorktree } from '../platform/git/worktrees.js';
import { removeStaleLocks } from '../platform/git/stale-lock.js';
import { discardFolder } from './discard.js';
import { type PreparedTree, prepareTree } from './prepare-tree.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Registers the worktree of every repository, which is quick and meets most refusals, then fills them. What this call
 *  has made is taken back when any of it fails. @returns base commit of each repository */
export async function prepareWorkspace(
  tools: WorkspaceTools,
  workspace: Workspace,
  fill: (tree: PreparedTree) => Promise<void> = (tree) => fillWorktree(tools.git, tree),
): Promise<Record<string, string>> {
  const trees: PreparedTree[] = [];
  try {
    for (const repo of workspace.repos) trees.push(await prepareTree(tools, workspace, repo));
    for (const tree of trees) await complete(tools, tree, fill);
    return Object.fromEntries(trees.map(({ repo_name, base_commit }) => [repo_name, base_commit]));
  } catch (error) {
    for (const tree of trees.reverse()) await takeBack(tools, tree, workspace.branch);
    // Not while something else lies there; the failure that led here is the one to report.
    await rmdir(tools.paths.attempt(workspace.attempt_id)).catch(() => undefined);
    throw error;
  }
}

async function complete(
  { fills, owner }: WorkspaceTools,
  tree: PreparedTree,
  fill: (tree: PreparedTree) => Promise<void>,
): Promise<void> {
  await removeStaleLocks(tree.gitDir, tree.dir);
  if (!(await isFilled(tree.gitDir))) await fills.run(tree.common, () => fill(tree));
  if (owner !== '' && (await ownerOf(tree.gitDir)) !== owner) await writeFile(ownerFile(tree.gitDir), owner);
}

const ownerFile = (gitDir: string): string => path.join(gitDir, 'taskyard-runner');

/** The runner that prepared the worktree last; empty where there is one alone. */
export async function ownerOf(gitDir: string): Promise<string> {
  return (await ifThere(readFile(ownerFile(gitDir), 'utf8'))) ?? '';
}

/** As far as possible: the failure that led here is the one to report. */
async function takeBack(
  { git, paths, repositories }: WorkspaceTools,
  tree: PreparedTree,
  branch: string,
): Promise<void> {
  await repositories
    .run(tree.common, async () => {
      if (tree.made.worktree) {
        await discardFolder(paths, tree.dir);
        await forgetWorktree(git, tree.repo_path, tree.dir);
      }
      if (tree.made.branch)
        await git.run(tree.repo_path, ['update-ref', '-d', `refs/heads/${branch}`, tree.base_commit]);
    })
    .catch(() => undefined);
}
