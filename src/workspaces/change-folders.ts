import type { Change } from './repository-changes.js';
import type { ChangedFolder } from './artifact-host.js';

/** Folders of one answer. */
const MOST = 50;

/** The folders that hold most of the changes, each with all below it; a folder that only leads to another one is left
 *  out. By path. */
export function foldersOf(changes: readonly Change[]): ChangedFolder[] {
  const folders = new Map<string, ChangedFolder>();
  for (const { path, added, deleted } of changes)
    for (const folder of foldersAbove(path)) {
      const sum = folders.get(folder) ?? { path: folder, file_count: 0, added: 0, deleted: 0 };
      folders.set(folder, sum);
      sum.file_count += 1;
      sum.added += added;
      sum.deleted += deleted;
    }
  const leading = [...folders.values()].map(({ path, file_count }) => `${parentOf(path)} ${file_count}`);
  const isOnlyWay = new Set(leading);
  return [...folders.values()]
    .filter(({ path, file_count }) => !isOnlyWay.has(`${path} ${file_count}`))
    .sort((a, b) => b.file_count - a.file_count)
    .slice(0, MOST)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
