import { exceeds, type GuardOptions, hashedStats, readAll, summarise } from './changes.js';
import type { InsideGit } from './inside-git.js';
import { type Change, runShown, SHOWN } from './repository-changes.js';
import type { Tree } from './trees.js';
import { type ArtifactBlock, maxPatchBytes, maxPatchPaths, type Patch } from './workspace-host.js';
import { splitArtifactPath } from './workspace-paths.js';

/** What one `git diff` has to show. */
interface Selection {
  repo_name: string;
  pathspecs: string[];
  /** Files that are not in the index: byte strings that end with NUL. */
  untracked: string[];
}

/** Of a file that is not in the index. */
const MAX_SHOWN_BYTES = 64 * 1024 * 1024;
// Argument lists hold two megabytes; renames beyond this show as an addition and a deletion.
const OLD_NAMES_BYTES = 512 * 1024;

/** Matches requested paths with changed files: a path means the file itself, its old name, or all below it.
 *  @param requested `<repo_name>/<path>`, already known not to leave the workspace */
function selectChanges(
  changes: readonly Change[],
  requested: readonly string[],
): { selections: Selection[]; chosen: Change[]; paths: string[]; skipped_paths: string[] } {
  const chosen = new Map<string, { wanted: Set<string>; changes: Set<Change> }>();
  const skipped_paths: string[] = [];
  for (const path of requested) {
    const { repo_name, inside } = splitArtifactPath(path)!;
    const found = changes.filter((change) => change.repo_name === repo_name && isSelected(change, inside));
    if (found.length === 0) {
      skipped_paths.push(path);
      continue;
    }
    const group = chosen.get(repo_name) ?? { wanted: new Set(), changes: new Set() };
    chosen.set(repo_name, group);
    group.wanted.add(inside);
    found.forEach((change) => group.changes.add(change));
  }
  const selections = [...chosen].map(([repo_name, group]) => toSelection(repo_name, group.wanted, [...group.changes]));
  const all = [...chosen.values()].flatMap((group) => [...group.changes]);
  const paths = requested.filter((path) => !skipped_paths.includes(path));
  return {
    selections,
    chosen: all,
    paths,
    skipped_paths: [...skipped_paths, ...all.filter(isTooLarge).map(({ path }) => path)],
  };
}

/** git would first have to take it over. */
const isTooLarge = ({ isUntracked, bytes }: Change): boolean => isUntracked && bytes > MAX_SHOWN_BYTES;

/** A name that is not UTF-8 can only be requested through its folder. */
function isSelected({ path, old_path, repo_name }: Change, inside: string): boolean {
  const isMeant = (name: string) =>
    inside === '' || (name === inside && !inside.includes('\uFFFD')) || name.startsWith(`${inside}/`);
  return [path, old_path].some((name) => name !== null && isMeant(name.slice(repo_name.length + 1)));
}

function toSelection(repo_name: string, wanted: Set<string>, changes: Change[]): Selection {
  const untracked = changes
    .filter((change) => change.isUntracked && !isTooLarge(change))
    .map((change) => `${change.bytePath}\0`);
  return { repo_name, pathspecs: pathspecsOf(repo_name, wanted, changes), untracked };
}

/** The requested paths, and both names of each rename: git sees a rename only when it sees both. None means the whole
 *  repository. */
function pathspecsOf(repo_name: string, wanted: Set<string>, changes: Change[]): string[] {
  if (wanted.has('')) return [];
  const pathspecs = new Set(wanted);
  let room = OLD_NAMES_BYTES;
  for (const { path, old_path } of changes.filter((change) => change.old_path !== null)) {
    const names = [path, old_path!].map((name) => name.slice(repo_name.length + 1));
    room -= Buffer.byteLength(names.join());
    if (room < 0) break;
    names.forEach((name) => pathspecs.add(name));
  }
  return [...pathspecs];
}

const LINE_FEED = 10;

export interface PatchRequest extends GuardOptions {
  paths: string[];
  max_bytes: number;
}

/** Unified diff of the chosen paths, which may be files, folders or whole repositories. The guard looks at the whole
 *  attempt. */
export async function makePatch(inside: InsideGit, trees: readonly Tree[], request: PatchRequest): Promise<Patch> {
  if (request.paths.length > maxPatchPaths) return blocked('too_many_paths');
  if (request.max_bytes > maxPatchBytes) return blocked('size_exceeded');
  const foreign = request.paths.filter((path) => splitArtifactPath(path) === null);
  if (foreign.length > 0) return blocked('path_outside_workspace', foreign);
  const changes = await readAll(inside, trees, request.force);
  if (changes === null) return blocked('summary_failed');
  if (!request.force && exceeds(summarise(changes), request.guard)) return blocked('threshold_exceeded');
  const { selections, chosen, paths, skipped_paths } = selectChanges(changes, request.paths);
  const { patch, truncated } = await joinPatches(inside, trees, selections, request.max_bytes);
  return {
    blocked: false,
    blocked_reason: null,
    truncated,
    bytes: Buffer.byteLength(patch),
    paths,
    skipped_paths,
    patch,
    file_stats: request.hashes ? await hashedStats(trees, chosen) : [],
  };
}

/** One repository after the other, as long as there is room. */
async function joinPatches(
  inside: InsideGit,
  trees: readonly Tree[],
  selections: readonly Selection[],
  maxBytes: number,
): Promise<{ patch: string; truncated: boolean }> {
  const parts: string[] = [];
  let room = maxBytes;
  for (const selection of selections) {
    const tree = trees.find(({ repo_name }) => repo_name === selection.repo_name)!;
    const part = await repositoryPatch(inside, tree, selection, room);
    parts.push(part.patch);
    if (part.truncated) return { patch: parts.join(''), truncated: true };
    room -= Buffer.byteLength(part.patch);
  }
  return { patch: parts.join(''), truncated: false };
}

async function repositoryPatch(
  inside: InsideGit,
  tree: Tree,
  selection: Selection,
  maxBytes: number,
): Promise<{ patch: string; truncated: boolean }> {
  const { stdout, cut } = await runShown(inside, tree, {
    args: diffArguments(tree, selection.pathspecs),
    options: { input: Buffer.from(selection.untracked.join(''), 'latin1'), maxBytes: maxBytes + 1, cut: true },
  });
  return wholeLines(rewriteRenames(stdout.toString('utf8'), tree.repo_name), maxBytes, cut);
}

function diffArguments(tree: Tree, pathspecs: readonly string[]): string[] {
  const shape = ['--unified=3', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '-M'];
  return [
    ...['diff-tree', '-r', '--patch'],
    ...shape,
    `--src-prefix=a/${tree.repo_name}/`,
    `--dst-prefix=b/${tree.repo_name}/`,
    tree.base_commit,
    SHOWN,
    '--',
    ...pathspecs,
  ];
}

/** git puts the prefix into all headers except these four. Lines of file content begin with other characters. */
function rewriteRenames(patch: string, repo_name: string): string {
  // Not `^`, which would also match behind a carriage return within a line.
  return patch.replace(
    /(?<![^\n])(rename|copy) (from|to) ("?)/g,
    (_, verb: string, side: string, quote: string) => `${verb} ${side} ${quote}${repo_name}/`,
  );
}

/** Cut to at most `maxBytes` of UTF-8, after the last complete line.
 *  @param isCut the text itself already lacks its end */
function wholeLines(text: string, maxBytes: number, isCut: boolean): { patch: string; truncated: boolean } {
  const bytes = Buffer.from(text);
  if (!isCut && bytes.length <= maxBytes) return { patch: text, truncated: false };
  const end = bytes.subarray(0, maxBytes).lastIndexOf(LINE_FEED) + 1;
  return { patch: bytes.toString('utf8', 0, end), truncated: true };
}

function blocked(blocked_reason: ArtifactBlock, skipped_paths: string[] = []): Patch {
  return {
    blocked: true,
    blocked_reason,
    truncated: false,
    bytes: 0,
    paths: [],
    skipped_paths,
    patch: null,
    file_stats: [],
  };
}
