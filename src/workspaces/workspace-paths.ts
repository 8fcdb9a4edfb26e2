import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../platform/errors/app-error.js';
import { exists } from '../platform/git/if-there.js';

// eslint-disable-next-line no-control-regex
const FOLDER_NAME = /^[^/\\"\0-\x1f\x7f]+$/;

const CLONE = /\/repos\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.git$/;

/** Where things lie below DATA_DIR. Names become folders only after a check, so that no path leaves its place. */
export class WorkspacePaths {
  private resolvedRoot: string | undefined;

  constructor(private readonly dataDir: string) {}

  /** `DATA_DIR/worktrees`, without symbolic links: git and agents know worktrees by their real path. */
  get root(): string {
    this.resolvedRoot ??= realFolder(path.join(this.dataDir, 'worktrees'));
    return this.resolvedRoot;
  }

  /** Whether anything was ever made here. Asks without making anything. */
  async areThere(): Promise<boolean> {
    const made = ['worktrees', 'repos'].map((folder) => exists(path.join(this.dataDir, folder)));
    return (await Promise.all(made)).includes(true);
  }

  attempt(attempt_id: string): string {
    return path.join(this.root, folderName(attempt_id));
  }

  worktree(attempt_id: string, repo_name: string): string {
    return path.join(this.attempt(attempt_id), folderName(repo_name));
  }

  clone(repo_id: string): string {
    return path.join(this.clones, `${folderName(repo_id)}.git`);
  }

  get clones(): string {
    return realFolder(path.join(this.dataDir, 'repos'));
  }

  /** A new name on the same disk, from which things are removed at leisure. */
  trash(): string {
    return path.join(realFolder(this.trashRoot), randomUUID());
  }

  get trashRoot(): string {
    return path.join(this.root, '.trash');
  }
}

/** Id of the repository that some runner cloned to that path; null for one that is known by its path. */
export const clonedRepository = (repo_path: string): string | null => CLONE.exec(repo_path)?.[1] ?? null;

/** One path segment that may be shown in a patch header as it is. Repository names must pass. */
export function isFolderName(name: string): boolean {
  const isReserved = ['.', '..', '.git', '.trash'].includes(name.toLowerCase());
  return name.length <= 200 && FOLDER_NAME.test(name) && !isReserved;
}

/** Splits `<repo_name>/<path in the repository>`; empty and `.` segments are dropped, the second part may be empty.
 *  @returns null for a path that means to leave the repository or to enter `.git`. */
export function splitArtifactPath(text: string): { repo_name: string; inside: string } | null {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isForeign = text.startsWith('/') || text.includes('\0') || segments.includes('..') || touchesGitFolder(text);
  return isForeign ? null : { repo_name: segments[0] ?? '', inside: segments.slice(1).join('/') };
}

/** True where a relative path is or lies in a `.git`, in any case: file systems may fold it. */
export function touchesGitFolder(relative: string): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(relative);
}

function folderName(name: string): string {
  if (!isFolderName(name))
    throw new AppError('repo_invalid', { reason: `${JSON.stringify(name)} cannot be the name of a folder` });
  return name;
}

/** Below DATA_DIR, which other accounts may have to pass through: what lies here is for the server's own user. */
function realFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return realpathSync(folder);
}
