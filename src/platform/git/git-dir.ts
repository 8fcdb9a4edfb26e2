import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, ifThere } from './if-there.js';

/** Git dir of a linked worktree by its `.git` file, or null where there is none or its repository is gone.
 *  @param common when given, the worktree must belong to this repository. */
export async function worktreeGitDir(dir: string, common?: string): Promise<string | null> {
  const pointer = path.join(dir, '.git');
  const isFile = (await ifThere(lstat(pointer)))?.isFile() === true;
  const text = isFile ? await ifThere(readFile(pointer, 'utf8')) : null;
  const gitDir = /^gitdir: (.+)$/m.exec(text ?? '')?.[1];
  if (gitDir === undefined) return null;
  const absolute = path.resolve(dir, gitDir);
  const belongs = common === undefined || path.dirname(absolute) === path.join(common, 'worktrees');
  return belongs && (await exists(path.join(absolute, 'HEAD'))) ? absolute : null;
}
