import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, ifThere } from './if-there.js';

export type OperationKind = 'merge' | 'rebase' | 'cherry_pick' | 'revert' | 'bisect';

/** What a worktree is in the midst of. */
export interface Operation {
  kind: OperationKind;
  /** What is taken in: the other side of a merge, the new base of a rebase; null where git does not say. */
  onto: string | null;
  /** The commit that is being replayed, and how far that has come. */
  step: { done: number; total: number; commit: string } | null;
}

const MARKS: readonly [file: string, kind: OperationKind][] = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry_pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** Read from the files that git itself goes by, so that it is right after a crash and whoever began.
 *  @param gitDir of the worktree */
export async function operationOf(gitDir: string): Promise<Operation | null> {
  const read = async (name: string): Promise<string | null> =>
    (await ifThere(readFile(path.join(gitDir, name), 'utf8')))?.trim() ?? null;
  for (const folder of ['rebase-merge', 'rebase-apply'])
    if (await exists(path.join(gitDir, folder))) return rebase(read, folder);
  for (const [file, kind] of MARKS) {
    const mark = await read(file);
    if (mark !== null) return { kind, onto: kind === 'merge' ? firstId(mark) : null, step: null };
  }
  return null;
}

async function rebase(read: (name: string) => Promise<string | null>, folder: string): Promise<Operation> {
  const [onto, done, total, stopped] = await Promise.all(
    ['onto', 'msgnum', 'end', 'stopped-sha'].map((name) => read(`${folder}/${name}`)),
  );
  const commit = firstId((await read('REBASE_HEAD')) ?? stopped ?? '');
  const step = commit === null ? null : { done: Number(done ?? 0), total: Number(total ?? 0), commit };
  return { kind: 'rebase', onto: firstId(onto ?? ''), step };
}

const firstId = (text: string): string | null => /^[0-9a-f]{7,64}/.exec(text)?.[0] ?? null;
