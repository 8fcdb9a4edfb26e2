import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { GitError } from './git-error.js';
import type { Git } from './git.js';
import { LFS_COMMANDS } from './own-filters.js';
import { remoteFailure, type RemoteLink } from './remote-link.js';
import { locationEnvironment, type WorktreeLocation } from './worktree-pointer.js';

/** Uploads the Git LFS files of a commit. Call it before the push: LFS's own hook is off, and pointers without files
 *  would be useless on the other side.
 *  @param since commit from which on files may be new there. @throws AppError as a push; GitError */
export async function uploadLargeFiles(
  git: Git,
  place: WorktreeLocation,
  link: RemoteLink,
  commit: string,
  since: string,
): Promise<void> {
  if (!(await holdsLargeFiles(git, place, since, commit))) return;
  await requireOwnProgramsOff(git, place);
  const url = path.isAbsolute(link.url) ? pathToFileURL(link.url).href : link.url;
  const env = { ...locationEnvironment(place), ...link.options.env };
  try {
    await git.run(place.dir, ['lfs', 'push', url, commit], { ...link.options, env });
  } catch (error) {
    throw remoteFailure(error, link);
  }
}

async function holdsLargeFiles(git: Git, place: WorktreeLocation, since: string, commit: string): Promise<boolean> {
  const env = locationEnvironment(place);
  const changed = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules', since, commit];
  const names = (await git.run(place.dir, changed, { env })).stdout;
  return (await largeFilesOf(git, place, names)).length > 0;
}

/** The files that Git LFS tracks, by the attributes in the worktree.
 *  @param names ended by NUL @returns byte strings. @throws GitError */
export async function largeFilesOf(git: Git, place: WorktreeLocation, names: Buffer): Promise<string[]> {
  if (names.length === 0) return [];
  const options = { env: locationEnvironment(place), input: names };
  const { stdout } = await git.run(place.dir, ['check-attr', '-z', '--stdin', 'filter'], options);
  const fields = stdout.toString('latin1').split('\0');
  return fields.filter((_, at) => at % 3 === 0 && fields[at + 2] === 'lfs');
}

/** git-lfs runs programs named in settings, and anybody may have written those of the repository. */
async function requireOwnProgramsOff(git: Git, place: WorktreeLocation): Promise<void> {
  const args = ['config', '--show-scope', '--name-only', '-z', '--get-regexp', String.raw`^lfs\.`];
  const env = locationEnvironment(place);
  const fields = (await git.text(place.dir, args, { env, accept: [0, 1], readsNoFiles: true })).split('\0');
  const named = fields.find((key, at) => LFS_COMMANDS.test(key) && /^(local|worktree)$/.test(fields[at - 1] ?? ''));
  if (named === undefined) return;
  const stderr = `fatal: ${named} of the repository names a program that this server does not run`;
  throw new GitError({ command: 'lfs', exitCode: null, stderr, cause: null });
}
