/** The work that a worktree holds, committed and shown to the user. */
import path from 'node:path';
import { removeStaleLocks } from '../git/git-dir-state.js';
import { commitAll, type Look, lookAt, NOT_COMMITTED, REFRESH, type Step } from './look.js';
import { publish } from './publish.js';
import type { TreePlace } from './trees.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** After a turn. @returns the commit; null if nothing was committed. @throws GitError */
export async function commitWork(tools: WorkspaceTools, tree: TreePlace, message: string): Promise<string | null> {
  const { head, exitCode } = await afterTurn(tools, tree, commitAll(message));
  return exitCode === NOT_COMMITTED ? null : head;
}

/** After a turn that is not committed: what it left is found quickly from then on. @throws GitError */
export async function refreshTree(tools: WorkspaceTools, tree: TreePlace): Promise<void> {
  await afterTurn(tools, tree, REFRESH);
}

/** Brings the branch into the store and shows it to the user. @throws GitError */
export async function takeIn(tools: WorkspaceTools, tree: TreePlace, first?: Step): Promise<Look> {
  const look = await lookAt(tools, tree, 'refs', { first });
  await publish(tools, tree);
  return look;
}

async function afterTurn(tools: WorkspaceTools, tree: TreePlace, first: Step): Promise<Look> {
  await removeStaleLocks(path.join(tree.dir, '.git'), tree.dir);
  const look = await takeIn(tools, tree, first);
  await tools.stores.tidy(tree.store);
  return look;
}
