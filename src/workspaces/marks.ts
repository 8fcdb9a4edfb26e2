import type { Git } from '../git/git.js';
import type { Mark } from './artifact-host.js';
import { lookAt, type Lookout } from './look.js';
import type { Compared } from './repository-changes.js';
import { contentOf, sourceOf } from './standing.js';
import type { Tree } from './trees.js';

/** What a worktree holds now, as a commit in its store, from which nothing is dropped. @throws GitError */
export async function markOf(tools: Lookout, tree: Tree): Promise<Mark> {
  const look = await lookAt(tools, tree, 'work');
  const head = look.head ?? tree.base_commit;
  const [commit, content] = await Promise.all([
    sourceOf(tools, tree, look, head),
    contentOf(tools.git, tree, look, head),
  ]);
  return { repo_name: tree.repo_name, commit: commit ?? head, tree: content ?? head };
}

/** From its mark to a mark of now, so that files which nobody added are compared, too; from its base where there is no
 *  such mark, as after a move to another runner. */
export async function sinceMark(tools: Lookout, tree: Tree, marks: readonly Mark[]): Promise<Compared> {
  const base_commit = marks.find(({ repo_name }) => repo_name === tree.repo_name)?.commit;
  if (base_commit === undefined || !(await isThere(tools.git, tree, base_commit))) return { tree, to: null };
  return { tree: { ...tree, base_commit }, to: (await markOf(tools, tree)).commit };
}

async function isThere(git: Git, { store }: Tree, commit: string): Promise<boolean> {
  const { exitCode } = await git.run(store, ['cat-file', '-e', `${commit}^{commit}`], { accept: [0, 1, 128] });
  return exitCode === 0;
}
