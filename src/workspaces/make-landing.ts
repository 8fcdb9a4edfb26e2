import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../git/git.js';
import { isAncestor } from '../git/refs.js';
import type { LandingWork } from './delivery-host.js';
import type { Lookout } from './look.js';
import type { Tree } from './trees.js';
import { rebaseOnto } from './update-branch.js';
import type { WorkspaceRepo } from './workspace-host.js';

/** The commit to land, with the files of the preview. @throws AppError strategy_not_possible,
 *  merge_conflict; GitError */
export async function makeLanding(tools: Lookout, repo: WorkspaceRepo, tree: Tree, work: LandingWork): Promise<string> {
  const { git } = tools;
  const { strategy, source_commit, target_commit } = work;
  if (strategy === 'squash') return commitTree(git, tree, work, [target_commit]);
  if (strategy === 'merge') return commitTree(git, tree, work, [target_commit, source_commit]);
  if (await isAncestor(git, tree.store, target_commit, source_commit)) return source_commit;
  if (strategy === 'ff')
    throw new AppError('strategy_not_possible', {
      repo_name: repo.repo_name,
      strategy,
      reason: `${repo.target_branch} has commits that the branch lacks`,
    });
  return rebased(tools, repo, tree, work);
}

function commitTree(git: Git, { store }: Tree, { tree, message }: LandingWork, parents: string[]): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((commit) => ['-p', commit]), '-F', '-'];
  return git.text(store, args, { input: message });
}

/** Commits replayed one by one may conflict even if their sum merges cleanly. */
async function rebased(tools: Lookout, repo: WorkspaceRepo, tree: Tree, work: LandingWork): Promise<string> {
  const { head, exitCode } = await rebaseOnto(tools, tree, work.source_commit, work.target_commit);
  if (exitCode !== 0) {
    await tools.inside.working(tree).run(tree.dir, ['rebase', '--abort']);
    throw new AppError('strategy_not_possible', {
      repo_name: repo.repo_name,
      strategy: 'rebase',
      reason: `a commit of the branch conflicts with ${repo.target_branch} when it is replayed by itself`,
    });
  }
  return head ?? work.source_commit;
}
