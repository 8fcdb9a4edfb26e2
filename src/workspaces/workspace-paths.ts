import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { exists } from '../git/if-there.js';
import { AppError } from '../platform/errors/app-error.js';

/** One repository of an attempt, as the host of its worktree needs to know it. */
export interface WorkspaceRepo {
  repo_name: string;
  /** Absolute path of the user's repository, whose checkout is never touched. */
  repo_path: string;
  target_branch: string;
  /** Commit the attempt's branch started from; null until prepared. */
  base_commit: string | null;
}

/** The worktrees of an attempt. */
export interface Workspace {
  attempt_id: string;
  branch: string;
  /** The runner that holds them; null until they are made. */
  home: string | null;
  repos: WorkspaceRepo[];
}

// eslint-disable-next-line no-control-regex
const FOLDER_NAME = /^[^/\\"\0-\x1f\x7f]+$/;

const CLONE = /\/repos\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.git$/;

/** Paths below DATA_DIR. Names are checked before they become folders, so that no path escapes. */
export class WorkspacePaths {
  private readonly made = new Map<string, string>();

  constructor(private readonly dataDir: string) {}

  /** `DATA_DIR/worktrees`, without symbolic links: git and agents know worktrees by their real path. */
  get root(): string {
    return this.madeOnce('worktrees');
  }

  /** Whether anything was ever created here. Creates nothing itself. */
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

  /** Of an attempt, one for each of its repositories; no run sees them. */
  stores(attempt_id: string): string {
    return path.join(this.storeRoot, folderName(attempt_id));
  }

  get storeRoot(): string {
    return this.madeOnce('stores');
  }

  store(attempt_id: string, repo_name: string): string {
    return path.join(this.stores(attempt_id), `${folderName(repo_name)}.git`);
  }

  get lenses(): string {
    return this.madeOnce('lenses');
  }

  clone(repo_id: string): string {
    return path.join(this.clones, `${folderName(repo_id)}.git`);
  }

  get clones(): string {
    return this.madeOnce('repos');
  }

  /** Made by who writes it. */
  get agentStates(): string {
    return path.join(path.resolve(this.dataDir), 'agent-state');
  }

  /** What the agents of an attempt keep. */
  agentState(attempt_id: string): string {
    return path.join(this.agentStates, folderName(attempt_id));
  }

  /** Of one check, below a folder that each run may be shown a part of. */
  checkout(id: string): string {
    return path.join(realFolder(this.checkouts), folderName(id));
  }

  get checkouts(): string {
    return path.join(this.root, '.checks');
  }

  /** A new path on the same disk, for things to be removed later. */
  trash(): string {
    return path.join(realFolder(this.trashRoot), randomUUID());
  }

  get trashRoot(): string {
    return path.join(this.root, '.trash');
  }

  /** Never anew, so that what looks here while its server ends makes nothing. */
  private madeOnce(name: string): string {
    const folder = this.made.get(name) ?? realFolder(path.join(this.dataDir, name));
    this.made.set(name, folder);
    return folder;
  }
}

/** Id of the repository cloned to that path by some runner; null if it was added by path. */
export const clonedRepository = (repo_path: string): string | null => CLONE.exec(repo_path)?.[1] ?? null;

/** One path segment that may be shown in a patch header as it is. Repository names must pass. */
function isFolderName(name: string): boolean {
  const isReserved = ['.', '..', '.git', '.trash'].includes(name.toLowerCase());
  return name.length <= 200 && FOLDER_NAME.test(name) && !isReserved;
}

/** Splits `<repo_name>/<path in the repository>`; empty and `.` segments are dropped, the second part may be empty.
 *  @returns null for a path that leaves the repository or enters `.git` */
export function splitArtifactPath(text: string): { repo_name: string; inside: string } | null {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isForeign = text.startsWith('/') || text.includes('\0') || segments.includes('..') || touchesGitFolder(text);
  return isForeign ? null : { repo_name: segments[0] ?? '', inside: segments.slice(1).join('/') };
}

/** Whether a relative path is or is inside a `.git`, in any case, because file systems may ignore case. */
export function touchesGitFolder(relative: string): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(relative);
}

function folderName(name: string): string {
  if (!isFolderName(name))
    throw new AppError('repo_invalid', { reason: `${JSON.stringify(name)} cannot be the name of a folder` });
  return name;
}

/** Private to the server's user, although other accounts may have to pass through DATA_DIR. */
function realFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return realpathSync(folder);
}
