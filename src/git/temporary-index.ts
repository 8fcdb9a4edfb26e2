import { randomUUID } from 'node:crypto';
import { copyFile, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.js';

export interface IndexEnvironment extends Record<string, string> {
  GIT_INDEX_FILE: string;
}

// Ids of the empty file, by their length: SHA-1 and SHA-256.
const emptyIds: Readonly<Record<number, string>> = {
  40: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  64: '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
};

/** Runs work on a copy of the index, so that the real one and its lock stay untouched. The copy lies beside the
 *  original, so after a crash it goes with the worktree.
 *  @param gitDir of the worktree; where it has no index yet the copy starts empty. */
export async function withTemporaryIndex<T>(gitDir: string, work: (env: IndexEnvironment) => Promise<T>): Promise<T> {
  const file = path.join(gitDir, `index-${randomUUID()}`);
  try {
    await copyIndex(path.join(gitDir, 'index'), file);
    return await work({ GIT_INDEX_FILE: file });
  } finally {
    await Promise.all([rm(file, { force: true }), rm(`${file}.lock`, { force: true })]);
  }
}

/** Adds files to a copied index without reading them, so that a diff shows their current content. Unlike `add
 *  --intent-to-add` it does not fail if one has vanished.
 *  @param names byte strings @param commit any commit of the repository, whose length shows the kind of ids
 *  @throws GitError */
export async function nameInIndex(
  git: Git,
  dir: string,
  env: IndexEnvironment,
  names: readonly string[],
  commit: string,
): Promise<void> {
  const entries = names.map((name) => `100644 ${emptyIds[commit.length]}\t${name}\0`);
  await git.run(dir, ['update-index', '-z', '--index-info'], { env, input: Buffer.from(entries.join(''), 'latin1') });
}

/** The copy must not look newer than the original: git rereads files as new as the index, and would otherwise miss a
 *  change made in the second of the checkout. */
async function copyIndex(index: string, copy: string): Promise<void> {
  const original = await stat(index).catch(ignoreMissing);
  if (!original) return;
  await copyFile(index, copy);
  const second = Math.floor(original.mtimeMs / 1000);
  await utimes(copy, second, second);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
