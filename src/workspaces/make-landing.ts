import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../git/git.js';
import { commitOf, isAncestor } from '../git/refs.js';
import { locationEnvironment } from '../git/worktree-pointer.js';
import type { LandingWork } from './delivery-host.js';
import type { Tree } from './trees.js';
import { rebaseOnto } from './update-branch.js';
import type { WorkspaceRepo } from './workspace-host.js';

/** The commit to land, with the files of the preview. @throws AppError strategy_not_possible,
 *  merge_conflict; GitError */
export async function makeLanding(git: Git, repo: WorkspaceRepo, tree: Tree, work: LandingWork): Promise<string> {
  const { strategy, source_commit, target_commit } = work;
  if (strategy === 'squash') return commitTree(git, tree, work, [target_commit]);
  if (strategy === 'merge') return commitTree(git, tree, work, [target_commit, source_commit]);
  if (await isAncestor(git, tree.dir, target_commit, source_commit, locationEnvironment(tree))) return source_commit;
  if (strategy === 'ff')
    throw new AppError('strategy_not_possible', {
      repo_name: repo.repo_name,
      strategy,
      reason: `${repo.target_branch} has commits that the branch lacks`,
    });
  return rebased(git, repo, tree, work);
}

function commitTree(git: Git, place: Tree, { tree, message }: LandingWork, parents: string[]): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((commit) => ['-p', commit]), '-F', '-'];
  return git.text(place.dir, args, { env: locationEnvironment(place), input: message });
}

/** Commits replayed one by one may conflict even if their sum merges cleanly. */
async function rebased(git: Git, repo: WorkspaceRepo, tree: Tree, work: LandingWork): Promise<string> {
  const env = locationEnvironment(tree);
  if (!(await rebaseOnto(git, tree, work.target_commit))) {
    await git.run(tree.dir, ['rebase', '--abort'], { env });
    throw new AppError('strategy_not_possible', {
      repo_name: repo.repo_name,
      strategy: 'rebase',
      reason: `a commit of the branch conflicts with ${repo.target_branch} when it is replayed by itself`,
    });
  }
  return (await commitOf(git, tree.dir, 'HEAD', env)) ?? work.source_commit;
}
