import type { Git } from '../platform/git/git.js';
import { commitOf } from '../platform/git/refs.js';
import { withTemporaryIndex } from '../platform/git/temporary-index.js';
import { type View, viewOf, writeTree } from './save-work.js';
import type { RepositorySnapshot, SnapshotOptions } from './saved-work.js';
import type { TreePlace } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';

const BUNDLE_TIMEOUT_MS = 5 * 60_000;

/** A namespace of our own: neither branches nor tags of the user, nor anything that `git fetch` of the user prunes. */
export const snapshotRefs = (attempt_id: string) => `refs/taskyard/snapshots/${attempt_id}`;

/** Of each repository in which anything has changed since the known snapshot. @throws GitError */
export async function snapshotWorkspace(
  git: Git,
  workspace: Workspace,
  trees: readonly TreePlace[],
  options: SnapshotOptions,
): Promise<RepositorySnapshot[]> {
  const snapshots: RepositorySnapshot[] = [];
  for (const repo of workspace.repos) {
    const tree = trees.find(({ repo_name }) => repo_name === repo.repo_name);
    const snapshot = tree && (await snapshotRepository(git, workspace, repo, tree, options));
    if (snapshot) snapshots.push(snapshot);
  }
  return snapshots;
}

/** Reads the worktree through an index of its own; the agent's stays as it is. */
async function snapshotRepository(
  git: Git,
  workspace: Workspace,
  repo: WorkspaceRepo,
  { dir, common }: TreePlace,
  { known, maxBytes }: SnapshotOptions,
): Promise<RepositorySnapshot | null> {
  const { repo_name, repo_path, base_commit } = repo;
  const view = await viewOf(git, workspace, repo_path, common, dir);
  if (view === null || view.head === null || base_commit === null) return null;
  const head = (await commitOf(git, repo_path, `refs/heads/${workspace.branch}`)) ?? view.head;
  const [staged, files] = [await stagedTree(git, view), await writeTree(git, view)];
  const fingerprint = [head, view.head, staged, files].join(' ');
  if (known[repo_name] === fingerprint) return null;
  const work = await commitTrees(git, repo_path, { commit: view.head, staged, files, isTip: view.head === head });
  const refs = await keepRefs(git, workspace, repo_path, { branch: head === base_commit ? null : head, work });
  const found = { repo_name, base_commit, fingerprint };
  if (refs.length === 0) return { ...found, head, work, bundle: null, is_too_large: false };
  const bundle = await bundleOf(git, repo_path, [...refs, `^${base_commit}`], maxBytes);
  return bundle === null
    ? { ...found, head: base_commit, work: null, bundle, is_too_large: true }
    : { ...found, head, work, bundle, is_too_large: false };
}

/** With the worktree its snapshots go too. @throws GitError */
export async function forgetSnapshots(git: Git, { attempt_id }: Workspace, repo_path: string): Promise<void> {
  const names = await git.text(repo_path, ['for-each-ref', '--format=%(refname)', snapshotRefs(attempt_id)]);
  const lines = names.split('\n').filter(Boolean);
  if (lines.length === 0) return;
  await git.run(repo_path, ['update-ref', '--stdin', '-z'], {
    input: lines.map((ref) => `delete ${ref}\0\0`).join(''),
  });
}

/** Null in the midst of a merge, whose index git cannot write as one tree. */
async function stagedTree(git: Git, { dir, gitDir, env, isDamaged }: View): Promise<string | null> {
  if (isDamaged) return null;
  return withTemporaryIndex(gitDir, async (index) => {
    const tree = await git.text(dir, ['write-tree'], { env: { ...env, ...index }, accept: [0, 128] });
    return tree === '' ? null : tree;
  });
}

async function commitTrees(
  git: Git,
  repo_path: string,
  { commit, staged, files, isTip }: { commit: string; staged: string | null; files: string; isTip: boolean },
): Promise<string | null> {
  const committed = await git.text(repo_path, ['rev-parse', `${commit}^{tree}`]);
  const stagedOwn = staged === null || staged === committed ? null : staged;
  if (isTip && files === committed && stagedOwn === null) return null;
  const commitTree = (tree: string, ...parents: string[]) =>
    git.text(repo_path, [
      ...['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])],
      ...['-m', 'Work of an attempt'],
    ]);
  return stagedOwn === null
    ? commitTree(files, commit)
    : commitTree(files, commit, await commitTree(stagedOwn, commit));
}

/** What the bundle names. A ref of an earlier snapshot goes where this one has none.
 *  @returns the refs that there are */
async function keepRefs(
  git: Git,
  { attempt_id }: Workspace,
  repo_path: string,
  commits: { branch: string | null; work: string | null },
): Promise<string[]> {
  const refs = Object.entries(commits).map(
    ([name, commit]) => [`${snapshotRefs(attempt_id)}/${name}`, commit] as const,
  );
  const lines = refs.map(([ref, commit]) => (commit === null ? `delete ${ref}\0\0` : `update ${ref}\0${commit}\0\0`));
  await git.run(repo_path, ['update-ref', '--stdin', '-z'], { input: lines.join('') });
  return refs.filter(([, commit]) => commit !== null).map(([ref]) => ref);
}

/** @returns null where it is too large */
async function bundleOf(
  git: Git,
  repo_path: string,
  revisions: readonly string[],
  maxBytes: number,
): Promise<Buffer | null> {
  const { stdout, cut } = await git.run(repo_path, ['bundle', 'create', '--quiet', '-', ...revisions], {
    ...{ maxBytes, cut: true },
    timeoutMs: BUNDLE_TIMEOUT_MS,
  });
  return cut ? null : stdout;
}
