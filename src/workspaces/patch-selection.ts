import type { Change } from './repository-changes.js';
import { splitArtifactPath } from './workspace-paths.js';

/** What one `git diff` has to show. */
export interface Selection {
  repo_name: string;
  pathspecs: string[];
  /** Files that are not in the index, as byte strings. */
  untracked: string[];
}

// An argument list has room for two megabytes; renames beyond this read as an addition and a deletion.
const OLD_NAMES_BYTES = 512 * 1024;

/** Matches requested paths with changed files: a path means the file itself, its old name, or all below it.
 *  @param requested `<repo_name>/<path>`, already known not to leave the workspace */
export function selectChanges(
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
  return { selections, chosen: all, paths: requested.filter((path) => !skipped_paths.includes(path)), skipped_paths };
}

/** A name that is not UTF-8 cannot be asked for by itself, only by its folder. */
function isSelected({ path, old_path, repo_name }: Change, inside: string): boolean {
  const isMeant = (name: string) =>
    inside === '' || (name === inside && !inside.includes('\uFFFD')) || name.startsWith(`${inside}/`);
  return [path, old_path].some((name) => name !== null && isMeant(name.slice(repo_name.length + 1)));
}

function toSelection(repo_name: string, wanted: Set<string>, changes: Change[]): Selection {
  const untracked = changes.filter((change) => change.isUntracked).map((change) => change.bytePath);
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
