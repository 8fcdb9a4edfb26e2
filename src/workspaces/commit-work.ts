/** The work that a worktree holds, committed. */
import path from 'node:path';
import { removeStaleLocks } from '../git/git-dir-state.js';
import { COMMIT } from './inside-scripts.js';
import { lookAt } from './look.js';
import { publish } from './publish.js';
import type { TreePlace } from './trees.js';
import type { WorkspaceTools } from './workspace-tools.js';

const TIMEOUT_MS = 15 * 60_000;
/** Exit code of the script for nothing to commit. */
const NOTHING = 3;

/** Commits what a worktree holds to the branch of its attempt, without hooks and signatures of the user. Repositories
 *  inside it stay as they are.
 *  @returns the commit; null if there is nothing to commit, HEAD has left the branch, or a merge has unresolved
 *  conflicts. @throws GitError */
export async function commitWork(tools: WorkspaceTools, tree: TreePlace, message: string): Promise<string | null> {
  const options = { input: message, timeoutMs: TIMEOUT_MS, accept: [0, NOTHING] };
  const { exitCode } = await tools.inside.run(tree, { target: 'own', script: COMMIT, options });
  return exitCode === NOTHING ? null : takeIn(tools, tree);
}

/** Brings the branch into the store and shows it to the user. @returns its tip. @throws GitError */
export async function takeIn(tools: WorkspaceTools, tree: TreePlace, refresh = false): Promise<string | null> {
  const { head } = await lookAt(tools, tree, 'refs', { refresh });
  await publish(tools, tree);
  return head;
}

/** After a turn, so that what it left is found and shown quickly. @throws GitError */
export async function refreshTree(tools: WorkspaceTools, tree: TreePlace): Promise<void> {
  await removeStaleLocks(path.join(tree.dir, '.git'), tree.dir);
  await takeIn(tools, tree, true);
  await tools.stores.tidy(tree.store);
}
