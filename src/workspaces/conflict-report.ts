import { type Conflict, conflictsOf, stagesOf } from '../git/conflicts.js';
import { parseNames, textOf } from '../git/diff-records.js';
import { type MergePreview, previewMerge, previewStep } from '../git/merge-preview.js';
import type { Operation } from '../git/git-dir-state.js';
import { commitOf, mergeBase } from '../git/refs.js';
import { type ConflictFile, type ConflictReport, maxConflictFiles } from './delivery-host.js';
import { largeFilesOf } from './large-files.js';
import type { Lookout } from './look.js';
import type { TreePlace } from './trees.js';

export interface Sides {
  source: { branch: string; commit: string };
  target: { branch: string; commit: string };
}

const FINISH = { merge: 'git add -A && git commit --no-edit', rebase: 'GIT_EDITOR=true git rebase --continue' };
/** Kinds that git writes into the file itself. */
const MARKED = ['content', 'add_add', 'lfs'];
const CHECK = ['-c', 'core.whitespace=-trailing-space,-space-before-tab,-blank-at-eof', 'diff', '--check'];

/** Conflicts that a merge would have. @throws GitError */
export async function reportPreview(
  tools: Lookout,
  tree: TreePlace,
  sides: Sides,
  conflicts: readonly Conflict[],
): Promise<ConflictReport> {
  const found = await withLargeFiles(tools, tree, conflicts);
  const files = found.map((one) => fileOf(tree, one, { resolved: false, has_markers: MARKED.includes(one.kind) }));
  return {
    ...head(tree, sides, files),
    operation: null,
    base_commit: await mergeBase(tools.git, tree.store, sides.source.commit, sides.target.commit),
    step: null,
    finish: null,
  };
}

/** Conflicts in the worktree now. @throws GitError */
export async function reportOperation(
  tools: Lookout,
  tree: TreePlace,
  { operation, tip }: { operation: Operation; tip: string | null },
  sides: Sides,
): Promise<ConflictReport> {
  const { kind } = operation;
  const unresolved = await tools.inside.reading(tree).run(tree.dir, ['ls-files', '--unmerged', '-z']);
  const records = parseNames(unresolved.stdout);
  const staged = stagesOf(records);
  const unmerged = new Set([...staged.keys()].map(textOf));
  const known = await knownConflicts(tools, tree, { ...operation, tip }, sides);
  const seen = known.length > 0 ? known : conflictsOf(staged, []).map(kind === 'rebase' ? swapped : same);
  const found = await withLargeFiles(tools, tree, seen);
  const marked = await filesWithMarkers(tools, tree);
  const files = found.map((one) => {
    // If two things claim a name, one of them is `<name>~<side>`.
    const open = [...unmerged].filter((name) => isOf(one, name.replace(/~[^/]*$/, '')) || isOf(one, name));
    const other_paths = [...new Set([...one.other_paths, ...open.filter((name) => name !== one.path)])];
    const has_markers = marked.includes(one.path);
    return fileOf(tree, { ...one, other_paths }, { resolved: open.length === 0, has_markers });
  });
  return {
    ...head(tree, sides, files),
    operation: kind,
    base_commit: await mergeBase(tools.git, tree.store, sides.source.commit, sides.target.commit),
    step: operation.step && { ...operation.step, title: await titleOf(tools, tree, operation.step.commit) },
    finish: kind === 'merge' || kind === 'rebase' ? FINISH[kind] : null,
  };
}

/** Changed files that contain the first or last marker of a conflict; the middle one may be a heading.
 *  @param against what they are compared with. @throws GitError */
export async function filesWithMarkers(tools: Lookout, tree: TreePlace, against = 'HEAD'): Promise<string[]> {
  const git = tools.inside.reading(tree);
  const args = [...CHECK, '--no-ext-diff', '--no-textconv', '--ignore-submodules', against];
  const { stdout } = await git.run(tree.dir, args, { accept: [0, 2], cut: true });
  const found = [...stdout.toString('utf8').matchAll(/^(.+):\d+: leftover conflict marker$/gm)].map(
    ([, name]) => name!,
  );
  const names = [...new Set([...found, ...(await changedLargeFiles(tools, tree, against))])].slice(0, maxConflictFiles);
  if (names.length === 0) return [];
  const grep = ['grep', '--name-only', '-z', '-I', '-E', '^(<{7}|>{7})( |$)', '--', ...names];
  return parseNames((await git.run(tree.dir, grep, { accept: [0, 1] })).stdout).map(textOf);
}

/** git compares LFS pointers, which hides markers in the files. */
async function changedLargeFiles(tools: Lookout, tree: TreePlace, against: string): Promise<string[]> {
  const git = tools.inside.reading(tree);
  const changed = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules', against];
  return (await largeFilesOf(git, tree.dir, (await git.run(tree.dir, changed)).stdout)).map(textOf);
}

const isOf = ({ path, other_paths }: Conflict, name: string): boolean => path === name || other_paths.includes(name);

/** The conflicts as they were at first, whatever was resolved since. */
async function knownConflicts(
  tools: Lookout,
  tree: TreePlace,
  { kind, step, tip }: Operation & { tip: string | null },
  { source, target }: Sides,
): Promise<Conflict[]> {
  let preview: MergePreview | null = null;
  const { git } = tools;
  if (kind === 'merge') preview = await previewMerge(git, tree.store, source.commit, target.commit);
  const isStep = kind === 'rebase' && step !== null && tip !== null;
  if (isStep && (await commitOf(git, tree.store, `${step.commit}^`)) !== null)
    preview = await previewStep(git, tree.store, step.commit, tip);
  return preview?.outcome === 'conflict' ? preview.conflicts : [];
}

/** The pointer of an LFS file conflicts like text, but cannot be merged line by line. */
async function withLargeFiles(tools: Lookout, tree: TreePlace, conflicts: readonly Conflict[]): Promise<Conflict[]> {
  const asText = conflicts.filter(({ kind }) => MARKED.includes(kind)).map(({ path }) => path);
  const names = Buffer.from(asText.map((name) => `${name}\0`).join(''));
  const large = new Set((await largeFilesOf(tools.inside.reading(tree), tree.dir, names)).map(textOf));
  return conflicts.map((one) => (asText.includes(one.path) && large.has(one.path) ? { ...one, kind: 'lfs' } : one));
}

/** In a rebase git's own side is the target's. */
const swapped = (one: Conflict): Conflict => ({
  ...one,
  ours: one.theirs,
  theirs: one.ours,
  kind: one.kind === 'modify_delete' ? 'delete_modify' : one.kind === 'delete_modify' ? 'modify_delete' : one.kind,
});
const same = (one: Conflict): Conflict => one;

const head = ({ repo_name }: TreePlace, { source, target }: Sides, files: ConflictFile[]) => ({
  repo_name,
  source,
  target,
  file_count: files.length,
  truncated: files.length > maxConflictFiles,
  files: files.slice(0, maxConflictFiles),
});

function fileOf(
  { repo_name }: TreePlace,
  { path, kind, other_paths, ours, theirs, reason }: Conflict,
  state: Pick<ConflictFile, 'resolved' | 'has_markers'>,
): ConflictFile {
  const within = (name: string) => `${repo_name}/${name}`;
  return { path: within(path), kind, other_paths: other_paths.map(within), ours, theirs, ...state, reason };
}

async function titleOf({ git }: Lookout, tree: TreePlace, commit: string): Promise<string> {
  return (await git.text(tree.store, ['log', '-1', '--format=%s', commit], { accept: [0, 128] })).slice(0, 500);
}
