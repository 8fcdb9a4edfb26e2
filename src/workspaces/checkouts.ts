/** What checks are about, and clean checkouts for them: each in a folder that no other run sees. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { removeStaleLocks } from '../git/git-dir-state.js';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { lendersOf, writeRepository } from '../git/own-repository.js';
import { mergedCommit } from '../git/merge-preview.js';
import { mergeBase } from '../git/refs.js';
import type { CheckoutFolder, CheckSubject, SubjectOptions, WantedCheckout } from './check-host.js';
import { commitAll, type Look, lookAt } from './look.js';
import { publish } from './publish.js';
import { endsOf, type Place } from './standing.js';
import { discardFolder, type TreePlace } from './trees.js';
import type { WorkspaceTools } from './workspace-tools.js';

const FILL_TIMEOUT_MS = 15 * 60_000;

/** Uncommitted work is committed first, as before a delivery. @throws AppError workspace_lost; GitError */
export async function subjectOf(tools: WorkspaceTools, place: Place, options: SubjectOptions): Promise<CheckSubject> {
  const { git } = tools;
  const { repo, tree } = place;
  await removeStaleLocks(path.join(tree.dir, '.git'), tree.dir);
  const look = await lookAt(tools, tree, 'refs', { first: commitAll(options.message) });
  const [{ head, target }] = await Promise.all([endsOf(git, place, look), publish(tools, tree)]);
  const common = target && (await mergeBase(git, tree.store, head, target.commit));
  const merges = options.isMerged && target !== null && target.commit !== common;
  const merged = merges ? await mergedCommit(git, tree.store, target.commit, head) : null;
  return {
    repo_name: repo.repo_name,
    head,
    target: target?.commit ?? null,
    base: merged === null ? common : target!.commit,
    merged,
    paths: common === null ? null : await pathsBetween(git, tree.store, common, head),
    problem: problemOf(look) ?? (merges && merged === null ? NO_MERGE : null),
  };
}

const NO_MERGE = 'it does not merge into its target: update its branch';

function problemOf({ operation, isOnBranch }: Look): string | null {
  if (operation !== null) return 'an update of its branch is in progress: complete or abort it';
  return isOnBranch ? null : 'its worktree has left the branch of the attempt: have the agent go back to it';
}

/** By git behind walls, like every worktree; HEAD is detached there.
 *  @throws GitError */
export async function makeCheckout(
  { paths, stores, inside, fills }: WorkspaceTools,
  tree: TreePlace,
  { id, commit }: WantedCheckout,
): Promise<CheckoutFolder> {
  const { common, store, branch, repo_name, repo_path } = tree;
  await discardFolder(paths, paths.checkout(id)); // of an interrupted try
  const dir = path.join(paths.checkout(id), repo_name);
  const lenders = [path.join(store, 'objects'), ...(await lendersOf(path.join(common, 'objects')))];
  await writeRepository(path.join(dir, '.git'), {
    config: await stores.inherited(repo_path),
    isBare: false,
    isSha256: commit.length === 64,
    head: `refs/heads/${branch}`,
    refs: { [`refs/heads/${branch}`]: commit },
    borrows: lenders,
    shallow: (await ifThere(readFile(path.join(store, 'shallow'), 'utf8'))) ?? '',
    exclude: (await ifThere(readFile(path.join(store, 'info/exclude'), 'utf8'))) ?? '',
  });
  const args = ['checkout', '--force', '--quiet', '--detach', commit];
  const place = { ...tree, dir, isDamaged: false };
  await fills.run(common, () => inside.working(place).run(dir, args, { timeoutMs: FILL_TIMEOUT_MS }));
  return { dir, readable: [...lenders, path.join(common, 'lfs')] };
}

async function pathsBetween(git: Git, store: string, base: string, head: string): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, head];
  return (await git.text(store, args)).split('\0').filter(Boolean);
}
