import type { Git } from '../platform/git/git.js';
import { nameInIndex, withTemporaryIndex } from '../platform/git/temporary-index.js';
import { locationEnvironment } from '../platform/git/worktree-pointer.js';
import { exceeds, type GuardOptions, hashedStats, readAll, summarise } from './changes.js';
import { type Selection, selectChanges } from './patch-selection.js';
import type { Tree } from './trees.js';
import { type ArtifactBlock, maxPatchBytes, maxPatchPaths, type Patch } from './workspace-host.js';
import { splitArtifactPath } from './workspace-paths.js';

const LINE_FEED = 10;

export interface PatchRequest extends GuardOptions {
  paths: string[];
  max_bytes: number;
}

/** Unified diff of the chosen paths, which may be files, folders or whole repositories. The guard looks at the whole
 *  attempt. */
export async function makePatch(git: Git, trees: readonly Tree[], request: PatchRequest): Promise<Patch> {
  if (request.paths.length > maxPatchPaths) return blocked('too_many_paths');
  if (request.max_bytes > maxPatchBytes) return blocked('size_exceeded');
  const foreign = request.paths.filter((path) => splitArtifactPath(path) === null);
  if (foreign.length > 0) return blocked('path_outside_workspace', foreign);
  const changes = await readAll(git, trees, request.force);
  if (changes === null) return blocked('summary_failed');
  if (!request.force && exceeds(summarise(changes), request.guard)) return blocked('threshold_exceeded');
  const { selections, chosen, paths, skipped_paths } = selectChanges(changes, request.paths);
  const { patch, truncated } = await joinPatches(git, trees, selections, request.max_bytes);
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
  git: Git,
  trees: readonly Tree[],
  selections: readonly Selection[],
  maxBytes: number,
): Promise<{ patch: string; truncated: boolean }> {
  const parts: string[] = [];
  let room = maxBytes;
  for (const selection of selections) {
    const tree = trees.find(({ repo_name }) => repo_name === selection.repo_name)!;
    const part = await repositoryPatch(git, tree, selection, room);
    parts.push(part.patch);
    if (part.truncated) return { patch: parts.join(''), truncated: true };
    room -= Buffer.byteLength(part.patch);
  }
  return { patch: parts.join(''), truncated: false };
}

async function repositoryPatch(
  git: Git,
  tree: Tree,
  selection: Selection,
  maxBytes: number,
): Promise<{ patch: string; truncated: boolean }> {
  const read = async (env: Record<string, string>) => {
    const { stdout, cut } = await git.run(tree.dir, diffArguments(tree, selection.pathspecs), {
      env,
      maxBytes: maxBytes + 1,
      cut: true,
    });
    return wholeLines(rewriteRenames(stdout.toString('utf8'), tree.repo_name), maxBytes, cut);
  };
  const location = locationEnvironment(tree);
  if (selection.untracked.length === 0) return read(location);
  return withTemporaryIndex(tree.gitDir, async (index) => {
    const env = { ...location, ...index };
    await nameInIndex(git, tree.dir, env, selection.untracked, tree.base_commit);
    return read(env);
  });
}

function diffArguments(tree: Tree, pathspecs: readonly string[]): string[] {
  const shape = [
    '--unified=3',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--submodule=short',
    '--ignore-submodules=dirty',
    '-M',
  ];
  return [
    'diff',
    ...shape,
    `--src-prefix=a/${tree.repo_name}/`,
    `--dst-prefix=b/${tree.repo_name}/`,
    tree.base_commit,
    '--',
    ...pathspecs,
  ];
}

/** git puts the prefix into all headers but these four. Lines of the files themselves begin with another character. */
function rewriteRenames(patch: string, repo_name: string): string {
  // Not `^`, which would also match behind a carriage return within a line.
  return patch.replace(
    /(?<![^\n])(rename|copy) (from|to) ("?)/g,
    (_, verb: string, side: string, quote: string) => `${verb} ${side} ${quote}${repo_name}/`,
  );
}

/** Cut to at most `maxBytes` of UTF-8, behind the last line that is whole.
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
