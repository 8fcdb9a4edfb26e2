import type { Git } from '../git/git.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { commitOf } from '../git/refs.js';
import { withTemporaryIndex } from '../git/temporary-index.js';
import { type View, viewOf, writeTree } from './save-work.js';
import type { RemoteSaves } from './remote-saves.js';
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
  options: SnapshotOptions & { saves: RemoteSaves },
): Promise<RepositorySnapshot[]> {
  const snapshots: RepositorySnapshot[] = [];
  for (const repo of workspace.repos) {
    const tree = trees.find(({ repo_name }) => repo_name === repo.repo_name);
    const snapshot = tree && (await snapshotRepository(git, workspace, repo, tree, options));
    if (snapshot) snapshots.push(snapshot);
  }
  return snapshots;
}

/** Reads the worktree through a separate index; the agent's index stays as it is. */
async function snapshotRepository(
  git: Git,
  workspace: Workspace,
  repo: WorkspaceRepo,
  tree: TreePlace,
  { known, maxBytes, store, saves }: SnapshotOptions & { saves: RemoteSaves },
): Promise<RepositorySnapshot | null> {
  const { repo_name, repo_path, base_commit } = repo;
  const [view, tip] = await Promise.all([
    viewOf(git, workspace, repo_path, tree.common, tree.dir),
    commitOf(git, repo_path, `refs/heads/${workspace.branch}`),
  ]);
  if (view === null || view.head === null || base_commit === null) return null;
  const head = tip ?? view.head;
  const [staged, files] = await Promise.all([stagedTree(git, view), writeTree(git, view)]);
  const fingerprint = [head, view.head, staged, files].join(' ');
  if (known[repo_name] === fingerprint) return null;
  const work = await commitTrees(git, repo_path, { commit: view.head, staged, files, isTip: view.head === head });
  const refs = await keepRefs(git, workspace, repo_path, { branch: head === base_commit ? null : head, work });
  const found = { repo_name, base_commit, fingerprint };
  if (refs.length === 0) return { ...found, ...NOWHERE, head, work };
  const revisions = [...refs, `^${base_commit}`];
  const push = () => saves.save(workspace, repo, { refs, place: tree, since: base_commit });
  const kept =
    store === 'remote'
      ? await inRemote(git, repo_path, revisions, maxBytes, push)
      : await inBundle(git, repo_path, revisions, maxBytes);
  return kept === null
    ? { ...found, ...NOWHERE, head: base_commit, work: null, is_too_large: true }
    : { ...found, ...NOWHERE, head, work, ...kept };
}

const NOWHERE = { bundle: null, remote: null, remote_failure: null, is_too_large: false };
type Kept = Partial<Pick<RepositorySnapshot, 'bundle' | 'remote' | 'remote_failure'>>;

/** Saves to the remote, or to a bundle if there is none or it refuses. @returns null if it is too large */
async function inRemote(
  git: Git,
  repo_path: string,
  revisions: readonly string[],
  maxBytes: number,
  push: () => Promise<string>,
): Promise<Kept | null> {
  const bytes = await git.text(repo_path, ['rev-list', '--objects', '--disk-usage', ...revisions]);
  if (Number(bytes) > maxBytes) return null;
  try {
    return { remote: await push() };
  } catch (error) {
    const refusal = toAppError(error);
    if (refusal === null) throw error;
    const bundled = await inBundle(git, repo_path, revisions, maxBytes);
    return bundled && { ...bundled, remote_failure: refusal.message };
  }
}

/** Removes the snapshots along with the worktree. @throws GitError */
export async function forgetSnapshots(git: Git, { attempt_id }: Workspace, repo_path: string): Promise<void> {
  const names = await git.text(repo_path, ['for-each-ref', '--format=%(refname)', snapshotRefs(attempt_id)]);
  const lines = names.split('\n').filter(Boolean);
  if (lines.length === 0) return;
  await git.run(repo_path, ['update-ref', '--stdin', '-z'], {
    input: lines.map((ref) => `delete ${ref}\0\0`).join(''),
  });
}

/** Null during a merge, whose index git cannot write as one tree. */
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

/** Sets the refs that the bundle names, and deletes those of an earlier snapshot that this one lacks.
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

/** @returns null if it is too large */
async function inBundle(
  git: Git,
  repo_path: string,
  revisions: readonly string[],
  maxBytes: number,
): Promise<Kept | null> {
  const { stdout, cut } = await git.run(repo_path, ['bundle', 'create', '--quiet', '-', ...revisions], {
    ...{ maxBytes, cut: true },
    timeoutMs: BUNDLE_TIMEOUT_MS,
  });
  return cut ? null : { bundle: stdout };
}
