import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.js';
import { exists, ifThere } from './if-there.js';

/** The folder that all worktrees of a repository share, which identifies the repository. @throws GitError */
export async function commonDirOf(git: Git, repository: string): Promise<string> {
  return (
    (await ownGitDir(repository)) ?? git.text(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir'])
  );
}

/** The usual cases, a `.git` folder or a bare repository, recognised without starting git. */
async function ownGitDir(repository: string): Promise<string | null> {
  const root = await ifThere(realpath(repository));
  if (root === null) return null;
  const entry = await ifThere(lstat(path.join(root, '.git')));
  if (entry !== null && !entry.isDirectory()) return null;
  const folder = entry === null ? root : path.join(root, '.git');
  const [head, ...parts] = await Promise.all([
    ifThere(readFile(path.join(folder, 'HEAD'), 'utf8')),
    exists(path.join(folder, 'objects')),
    exists(path.join(folder, 'refs')),
  ]);
  return /^(ref: refs\/|[0-9a-f]{40})/.test(head ?? '') && parts.every(Boolean) ? folder : null;
}
