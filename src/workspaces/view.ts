import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { commitOf } from '../git/refs.js';
import { type Change, type Compared, type Reader, readChanges } from './repository-changes.js';
import { locateTrees, type Tree } from './trees.js';
import type { CommittedWork, DeliveredWork, ShownWork } from './artifact-host.js';
import { sinceMark } from './marks.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** What is shown of an attempt: the work in its worktrees, or what was delivered of it. */
export interface View {
  of: 'work' | 'delivered';
  repos: readonly Compared[];
}

/** The work, or what of it is new since a mark; what was delivered, where there is nothing else. */
export async function viewOf(
  tools: Pick<WorkspaceTools, 'git' | 'inside' | 'stores' | 'paths'>,
  workspace: Workspace,
  { delivered = [], since, at }: ShownWork = {},
): Promise<View> {
  const trees = await locateTrees(tools.git, tools.paths, workspace);
  if (since) {
    return { of: 'work', repos: await Promise.all(trees.map((tree) => sinceMark(tools, tree, since))) };
  }
  if (at) return { of: 'work', repos: await Promise.all(trees.map((tree) => committed(tools.git, tree, at))) };
  const work: View = { of: 'work', repos: trees.map((tree) => ({ tree, to: null })) };
  if (delivered.length === 0 || (await hasMore(tools, trees, delivered))) return work;
  const repos = trees.flatMap((tree) => {
    const found = delivered.find(({ repo_name }) => repo_name === tree.repo_name);
    return found ? [{ tree: { ...tree, base_commit: found.from }, to: found.to }] : [];
  });
  return { of: 'delivered', repos };
}

async function committed(git: Git, tree: Tree, at: readonly CommittedWork[]): Promise<Compared> {
  const head = at.find(({ repo_name }) => repo_name === tree.repo_name)?.head;
  return { tree, to: head === undefined ? null : await commitOf(git, tree.store, head) };
}

/** Whether any repository holds what was not delivered; one that cannot tell counts as such. */
async function hasMore(reader: Reader, trees: readonly Tree[], delivered: readonly DeliveredWork[]): Promise<boolean> {
  const left = async (tree: Tree): Promise<Change[]> => {
    const head = delivered.find(({ repo_name }) => repo_name === tree.repo_name)?.head ?? tree.base_commit;
    return readChanges(reader, { tree: { ...tree, base_commit: head }, to: null }, true);
  };
  try {
    return (await Promise.all(trees.map(left))).some((changes) => changes.length > 0);
  } catch (error) {
    if (error instanceof GitError) return true;
    throw error;
  }
}
