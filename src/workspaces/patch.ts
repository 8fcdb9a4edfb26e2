import { exceeds, hashedStats, pathsOf, readAll, summarise } from './changes.js';
import { nearestPath } from './nearest-path.js';
import { type Change, comparing, type Compared, isBelow, type Reader, runShown } from './repository-changes.js';
import type { View } from './view.js';
import { type ArtifactBlock, maxPatchBytes, maxPatchPaths, type Patch, type PatchRequest } from './artifact-host.js';
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
): { selections: Selection[]; chosen: Change[]; paths: string[]; unchanged: string[]; skipped_paths: string[] } {
  const chosen = new Map<string, { wanted: Set<string>; changes: Set<Change> }>();
  const unchanged: string[] = [];
  for (const path of requested) {
    const place = splitArtifactPath(path)!;
    const { repo_name, inside } = place;
    const found = changes.filter((change) => isBelow(change, place));
    if (found.length === 0) {
      unchanged.push(path);
      continue;
    }
    const group = chosen.get(repo_name) ?? { wanted: new Set(), changes: new Set() };
    chosen.set(repo_name, group);
    group.wanted.add(inside);
    found.forEach((change) => group.changes.add(change));
  }
  const selections = [...chosen].map(([repo_name, group]) => toSelection(repo_name, group.wanted, [...group.changes]));
  const all = [...chosen.values()].flatMap((group) => [...group.changes]);
  return {
    selections,
    chosen: all,
    paths: requested.filter((path) => !unchanged.includes(path)),
    unchanged,
    skipped_paths: [...unchanged, ...pathsOf(all.filter(isTooLarge))],
  };
}

/** git would first have to take it over. */
const isTooLarge = ({ isUntracked, bytes }: Change): boolean => isUntracked && bytes > MAX_SHOWN_BYTES;

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

/** The rest of a patch is found by making it from its beginning. */
const MAX_SKIPPED_BYTES = 32 * 1024 * 1024;

/** Unified diff of the chosen paths, which may be files, folders or whole repositories. The guard looks at the whole
 *  attempt. */
export async function makePatch(reader: Reader, view: View, request: PatchRequest): Promise<Patch> {
  const { of } = view;
  const { cursor = 0, max_bytes } = request;
  const refused = refusalOf(request, of);
  if (refused !== null) return refused;
  const changes = await readAll(reader, view, request.force);
  if (changes === null) return blocked(of, 'summary_failed');
  if (!request.force && exceeds(summarise(changes), request.guard)) return blocked(of, 'threshold_exceeded');
  const { selections, chosen, paths, unchanged, skipped_paths } = selectChanges(changes, request.paths);
  const { patch, truncated } = await joinPatches(reader, view, selections, {
    ...request,
    max_bytes: cursor + max_bytes,
  });
  const page = wholeLines(patch.subarray(cursor), max_bytes, truncated);
  return {
    of,
    blocked: false,
    blocked_reason: null,
    truncated: page.truncated,
    next_cursor: page.truncated && page.patch.length > 0 ? cursor + page.patch.length : null,
    nearest: unchanged.length > 0 ? nearestPath(unchanged[0]!, pathsOf(changes)) : null,
    bytes: page.patch.length,
    paths,
    skipped_paths,
    patch: page.patch.toString('utf8'),
    file_stats: request.hashes ? await hashedStats(view, chosen) : [],
  };
}

function refusalOf({ paths, max_bytes, cursor = 0 }: PatchRequest, of: View['of']): Patch | null {
  if (paths.length > maxPatchPaths) return blocked(of, 'too_many_paths');
  if (max_bytes > maxPatchBytes || cursor > MAX_SKIPPED_BYTES) return blocked(of, 'size_exceeded');
  const foreign = paths.filter((path) => splitArtifactPath(path) === null);
  return foreign.length > 0 ? blocked(of, 'path_outside_workspace', foreign) : null;
}

interface Part {
  patch: Buffer;
  truncated: boolean;
}

/** How a patch is made. */
type Shape = Pick<PatchRequest, 'max_bytes' | 'context_lines' | 'ignore_whitespace'>;

/** One repository after the other, as long as there is room. */
async function joinPatches(
  reader: Reader,
  { repos }: View,
  selections: readonly Selection[],
  shape: Shape,
): Promise<Part> {
  const parts: Buffer[] = [];
  let room = shape.max_bytes;
  for (const selection of selections) {
    const repo = repos.find(({ tree }) => tree.repo_name === selection.repo_name)!;
    const part = await repositoryPatch(reader, repo, selection, { ...shape, max_bytes: room });
    parts.push(part.patch);
    if (part.truncated) return { patch: Buffer.concat(parts), truncated: true };
    room -= part.patch.length;
  }
  return { patch: Buffer.concat(parts), truncated: false };
}

async function repositoryPatch(reader: Reader, repo: Compared, selection: Selection, shape: Shape): Promise<Part> {
  const { tree, to } = repo;
  const { max_bytes: maxBytes } = shape;
  const args = diffArguments(repo, selection.pathspecs, shape);
  const options = { maxBytes: maxBytes + 1, cut: true };
  const input = Buffer.from(selection.untracked.join(''), 'latin1');
  const { stdout, cut } = await (to === null
    ? runShown(reader.inside, tree, { args, options: { ...options, input } })
    : reader.git.run(tree.store, args, options));
  return wholeLines(Buffer.from(rewriteRenames(stdout.toString('utf8'), tree.repo_name)), maxBytes, cut);
}

function diffArguments(
  compared: Compared,
  pathspecs: readonly string[],
  { context_lines = 3, ignore_whitespace = false }: Shape,
): string[] {
  const { repo_name } = compared.tree;
  const options = [
    ...['--patch', `--unified=${context_lines}`, ...(ignore_whitespace ? ['--ignore-all-space'] : [])],
    ...['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '-M'],
    ...[`--src-prefix=a/${repo_name}/`, `--dst-prefix=b/${repo_name}/`],
  ];
  return [...comparing(compared, options), '--', ...pathspecs];
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
function wholeLines(text: Buffer, maxBytes: number, isCut: boolean): Part {
  if (!isCut && text.length <= maxBytes) return { patch: text, truncated: false };
  const end = text.subarray(0, maxBytes).lastIndexOf(LINE_FEED) + 1;
  return { patch: text.subarray(0, end), truncated: true };
}

function blocked(of: View['of'], blocked_reason: ArtifactBlock, skipped_paths: string[] = []): Patch {
  return {
    of,
    blocked: true,
    blocked_reason,
    truncated: false,
    next_cursor: null,
    nearest: null,
    bytes: 0,
    paths: [],
    skipped_paths,
    patch: null,
    file_stats: [],
  };
}
