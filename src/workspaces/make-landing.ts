import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../platform/git/git.js';
import { commitOf, isAncestor } from '../platform/git/refs.js';
import { locationEnvironment } from '../platform/git/worktree-pointer.js';
import type { LandingWork } from './delivery-host.js';
import type { Tree } from './trees.js';
import { rebaseOnto } from './update-branch.js';
import type { WorkspaceRepo } from './workspace-host.js';

/** The commit that is to land. Its files are those that the preview found. @throws AppError strategy_not_possible,
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

/** Replayed one by one, commits may conflict where the merge of their sum does not. */
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
