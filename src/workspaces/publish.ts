import { land } from '../git/landing.js';
import { isAncestor, readRefs } from '../git/refs.js';
import { type Tip, tipOf } from './stores.js';
import type { TreePlace } from './trees.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Refs of ours in the user's repository, which keep what an attempt builds on. */
export const heldRefs = (attempt_id: string): string => `refs/taskyard/held/${attempt_id}`;

/** Shows the user where the branch of an attempt is. A branch that the user has moved elsewhere or has checked out is
 *  left alone. @returns whether it is where the attempt is. @throws GitError */
export async function publish({ git, stores, repositories }: WorkspaceTools, tree: TreePlace): Promise<boolean> {
  const known = (tip: Tip) => tipOf(tree.store, tip);
  const [head, published] = await Promise.all([known('head'), known('published')]);
  if (head === null || head === published) return true;
  const ref = `refs/heads/${tree.branch}`;
  return repositories.run(tree.common, async () => {
    const tip = (await readRefs(git, tree.repo_path, [ref])).get(ref) ?? '';
    const isOurs = ['', published, head].includes(tip) || (await isAncestor(git, tree.store, tip, head));
    if (!isOurs) return false;
    const move = { ref, from: tip, to: head, withCheckout: false };
    if (tip !== head && (await land(git, tree, move)).outcome !== 'landed') return false;
    await stores.move(tree.store, 'published', head);
    return true;
  });
}
