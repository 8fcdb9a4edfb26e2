import type { Git } from '../git/git.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { Look } from './look.js';
import { wholeLook } from './save-work.js';
import type { RepositorySnapshot, SnapshotOptions } from './saved-work.js';
import type { TreePlace } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

const BUNDLE_TIMEOUT_MS = 5 * 60_000;

/** Refs of a store that are saved, which a bundle names. */
export const SAVED_REFS = 'refs/taskyard/saved';

/** Of each repository in which anything has changed since the known snapshot. @throws GitError */
export async function snapshotWorkspace(
  tools: WorkspaceTools,
  workspace: Workspace,
  trees: readonly TreePlace[],
  options: SnapshotOptions,
): Promise<RepositorySnapshot[]> {
  const snapshots: RepositorySnapshot[] = [];
  for (const repo of workspace.repos) {
    const tree = trees.find(({ repo_name }) => repo_name === repo.repo_name);
    const snapshot = tree && (await snapshotRepository(tools, workspace, repo, tree, options));
    if (snapshot) snapshots.push(snapshot);
  }
  return snapshots;
}

/** The agent's index stays as it is. */
async function snapshotRepository(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  tree: TreePlace,
  { known, maxBytes, store: kind }: SnapshotOptions,
): Promise<RepositorySnapshot | null> {
  const { git, saves } = tools;
  const { repo_name, base_commit } = repo;
  const look = await wholeLook(tools, tree);
  if (look === null || look.tip === null || look.files === null || base_commit === null) return null;
  const head = look.head ?? look.tip;
  const fingerprint = [head, look.tip, look.staged, look.files].join(' ');
  if (known[repo_name] === fingerprint) return null;
  const work = await commitTrees(git, tree.store, look);
  const refs = await keepRefs(git, tree.store, { branch: head === base_commit ? null : head, work });
  const found = { repo_name, base_commit, fingerprint };
  if (refs.length === 0) return { ...found, ...NOWHERE, head, work };
  const revisions = [...refs, `^${base_commit}`];
  const push = () => saves.save(workspace, repo, { refs, tree, since: base_commit });
  const kept =
    kind === 'remote'
      ? await inRemote(git, tree.store, revisions, maxBytes, push)
      : await inBundle(git, tree.store, revisions, maxBytes);
  return kept === null
    ? { ...found, ...NOWHERE, head: base_commit, work: null, is_too_large: true }
    : { ...found, ...NOWHERE, head, work, ...kept };
}

const NOWHERE = { bundle: null, remote: null, remote_failure: null, is_too_large: false };
type Kept = Partial<Pick<RepositorySnapshot, 'bundle' | 'remote' | 'remote_failure'>>;

/** Saves to the remote, or to a bundle if there is none or it refuses. @returns null if it is too large */
async function inRemote(
  git: Git,
  store: string,
  revisions: readonly string[],
  maxBytes: number,
  push: () => Promise<string>,
): Promise<Kept | null> {
  const bytes = await git.text(store, ['rev-list', '--objects', '--disk-usage', ...revisions]);
  if (Number(bytes) > maxBytes) return null;
  try {
    return { remote: await push() };
  } catch (error) {
    const refusal = toAppError(error);
    if (refusal === null) throw error;
    const bundled = await inBundle(git, store, revisions, maxBytes);
    return bundled && { ...bundled, remote_failure: refusal.message };
  }
}

async function commitTrees(git: Git, store: string, { head, tip, staged, files }: Look): Promise<string | null> {
  const committed = await git.text(store, ['rev-parse', `${tip}^{tree}`]);
  const stagedOwn = staged === committed ? null : staged;
  if (tip === head && files === committed && stagedOwn === null) return null;
  const commitTree = (tree: string, ...parents: string[]) =>
    git.text(store, [
      ...['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])],
      ...['-m', 'Work of an attempt'],
    ]);
  return stagedOwn === null ? commitTree(files!, tip!) : commitTree(files!, tip!, await commitTree(stagedOwn, tip!));
}

/** Sets the refs that the bundle names, and deletes those of an earlier snapshot that this one lacks.
 *  @returns the refs that there are */
async function keepRefs(
  git: Git,
  store: string,
  commits: { branch: string | null; work: string | null },
): Promise<string[]> {
  const refs = Object.entries(commits).map(([name, commit]) => [`${SAVED_REFS}/${name}`, commit] as const);
  const lines = refs.map(([ref, commit]) => (commit === null ? `delete ${ref}\0\0` : `update ${ref}\0${commit}\0\0`));
  await git.run(store, ['update-ref', '--stdin', '-z'], { input: lines.join('') });
  return refs.filter(([, commit]) => commit !== null).map(([ref]) => ref);
}

/** @returns null if it is too large */
async function inBundle(git: Git, store: string, revisions: readonly string[], maxBytes: number): Promise<Kept | null> {
  const { stdout, cut } = await git.run(store, ['bundle', 'create', '--quiet', '-', ...revisions], {
    ...{ maxBytes, cut: true },
    timeoutMs: BUNDLE_TIMEOUT_MS,
  });
  return cut ? null : { bundle: stdout };
}
