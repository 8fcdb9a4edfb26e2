import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bytePath, parseNames } from '../platform/git/diff-records.js';
import type { Git } from '../platform/git/git.js';
import { ifThere } from '../platform/git/if-there.js';

export const ADD_TIMEOUT_MS = 15 * 60_000;

type Env = Readonly<Record<string, string>>;

/** Records all files in the index. `git add` would run git inside submodules, where an agent may have left a
 *  configuration that runs programs; so they are left out, and their commits recorded by themselves.
 *  @param omitted folders to leave alone, as byte strings. @throws GitError */
export async function stageWork(git: Git, dir: string, env: Env, omitted: readonly string[] = []): Promise<void> {
  const filled = await filledSubmodules(git, dir, env);
  const paths = ['.', ...[...omitted, ...filled].map((name) => `:(exclude,literal)${name}`)];
  await git.run(dir, ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    env: { ...env, GIT_LITERAL_PATHSPECS: '0' },
    input: nulEnded(paths),
    timeoutMs: ADD_TIMEOUT_MS,
  });
  if (filled.length > 0) await git.run(dir, ['update-index', '-z', '--stdin'], { env, input: nulEnded(filled) });
}

/** Submodules whose folder holds anything, as byte strings. @throws GitError */
export async function filledSubmodules(git: Git, dir: string, env: Env): Promise<string[]> {
  if (!(await mayHaveSubmodules(env))) return [];
  const entries = parseNames((await git.run(dir, ['ls-files', '--stage', '-z'], { env })).stdout);
  const names = entries.flatMap((entry) => /^160000 [^\t]+\t([^]+)$/.exec(entry)?.[1] ?? []);
  const contents = await Promise.all(names.map((name) => ifThere(readdir(bytePath(dir, name)))));
  return names.filter((_, at) => (contents[at]?.length ?? 0) > 0);
}

// The mode of a submodule as any version of an index file holds it, and the marks of an index that does not name every
// entry in the file itself: one that is split, and one whose folders stand for what they hold.
const SUBMODULE_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
const PARTIAL_INDEX = [Buffer.from('link'), Buffer.from('sdir')];

/** Most repositories have none, and to have git list every file only to learn that costs as much as a status. */
async function mayHaveSubmodules({ GIT_INDEX_FILE, GIT_DIR }: Env): Promise<boolean> {
  const file = GIT_INDEX_FILE ?? (GIT_DIR === undefined ? undefined : path.join(GIT_DIR, 'index'));
  if (file === undefined) return true;
  const index = await ifThere(readFile(file));
  return index !== null && [SUBMODULE_MODE, ...PARTIAL_INDEX].some((mark) => index.includes(mark));
}

const nulEnded = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
