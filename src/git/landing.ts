import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { GitError } from './git-error.js';
import { type Git, type GitOptions } from './git.js';
import { ifThere } from './if-there.js';

/** A folder in which a branch is checked out. */
export interface Checkout {
  worktree: string;
  /** Nothing is staged or changed; untracked files do not count. */
  clean: boolean;
}

export interface Move {
  /** Full name of the branch. */
  ref: string;
  /** The commit it must be at; otherwise nothing moves. */
  from: string;
  to: string;
  /** Also updates a clean checkout of the branch instead of refusing. */
  withCheckout: boolean;
}

export type Landing =
  | { outcome: 'landed' }
  | { outcome: 'moved' }
  | { outcome: 'locked' }
  | { outcome: 'checked_out'; checkout: Checkout }
  | { outcome: 'checkout_dirty'; checkout: Checkout; reason: string };

const DIRTY =
  /\((Working directory has \w+ changes|Could not update working tree to new HEAD|Up-to-date check failed)\)/;
const LOCAL: GitOptions = { env: { GIT_ALLOW_PROTOCOL: 'file' }, timeoutMs: 5 * 60_000 };

/** A repository of a user, and where what it gets comes from. */
export interface Passage {
  /** Repository that holds the commits. */
  store: string;
  repo_path: string;
  /** Common folder of the user's repository. */
  common: string;
}

/** Moves a branch of the user from one commit to another, or not at all. A push is the only way that compares, swaps
 *  and sees every worktree, even during a rebase. Nothing is checked out unless asked for.
 *  @param move `from` is empty for a branch that must not exist. @throws GitError */
export async function land(git: Git, { store, repo_path: repository, common }: Passage, move: Move): Promise<Landing> {
  const { ref, from, to, withCheckout } = move;
  const filters = withCheckout ? await git.filtersOff(repository, { GIT_DIR: common }) : {};
  const args = ['push', '--porcelain', '--no-verify', `--force-with-lease=${ref}:${from}`];
  args.push(`--receive-pack=${receivePack(withCheckout, filters)}`, repository, `${to}:${ref}`);
  const { stdout, stderr, exitCode } = await git.run(store, args, { ...LOCAL, accept: [0, 1] });
  const answer = stdout.toString('utf8');
  if (exitCode === 0) return { outcome: 'landed' };
  if (answer.includes('(stale info)')) return { outcome: 'moved' };
  if (answer.includes('(branch is currently checked out)'))
    return { outcome: 'checked_out', checkout: await checkoutOf(git, repository, common, ref) };
  const [, reason] = DIRTY.exec(answer) ?? [];
  const checkout = await checkoutOf(git, repository, common, ref);
  if (reason) return { outcome: 'checkout_dirty', checkout, reason: reason.toLowerCase() };
  if (!answer.includes('(failed to update ref)')) throw refusedBy(answer, stderr, exitCode);
  // The files were updated before the branch failed to move; those not touched since are restored.
  if (withCheckout) await git.run(checkout.worktree, ['read-tree', '-m', '-u', to, from], { accept: [0, 128] });
  // The ref was not locked; the disk had no room for its 41 bytes.
  if (/couldn't write '/.test(stderr)) throw new GitError({ command: 'push', exitCode, stderr, cause: 'disk_full' });
  return { outcome: 'locked' };
}

/** Puts a commit under a ref of ours in the user's repository. @throws GitError */
export async function deposit(git: Git, { store, repo_path }: Passage, ref: string, commit: string): Promise<void> {
  const receiving = `--receive-pack=${receivePack(false, {})}`;
  await git.run(store, ['push', '--quiet', '--no-verify', receiving, repo_path, `+${commit}:${ref}`], LOCAL);
}

/** The receiving git does not inherit our settings. The repository is known to be trusted, and its own filters are
 *  disabled here too. */
function receivePack(withCheckout: boolean, filters: Readonly<Record<string, string>>): string {
  const settings = [
    `safe.directory='*'`,
    `receive.denyCurrentBranch=${withCheckout ? 'updateInstead' : 'refuse'}`,
    'receive.denyNonFastForwards=false',
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.alternateRefsCommand=true',
    'gc.auto=0',
    'receive.autogc=false',
  ];
  const environment = Object.entries(filters).map(([name, value]) => `${name}=${quoted(value)} `);
  return `${environment.join('')}git ${settings.map((setting) => `-c ${setting}`).join(' ')} receive-pack`;
}

/** Quoted for the shell with which git starts the receiving side. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Where the branch is checked out, or was before a rebase in progress; null if nowhere. @throws GitError */
export async function findCheckout(
  git: Git,
  repository: string,
  common: string,
  ref: string,
): Promise<Checkout | null> {
  const entries = (await git.text(repository, ['worktree', 'list', '--porcelain', '-z'])).split('\0\0');
  const listed = entries.find((entry) => entry.split('\0').includes(`branch ${ref}`))?.split('\0')[0];
  const worktree = listed?.slice('worktree '.length) ?? (await rebasingWorktree(common, ref));
  if (worktree === null) return null;
  const isMain = worktree === path.dirname(common);
  const env: Record<string, string> = isMain
    ? { GIT_DIR: common, GIT_COMMON_DIR: common, GIT_WORK_TREE: worktree }
    : {};
  const status = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty'];
  const { stdout } = await git.run(worktree, status, { env, maxBytes: 1024, cut: true, accept: [0, 128] });
  return { worktree, clean: stdout.length === 0 };
}

const checkoutOf = async (git: Git, repository: string, common: string, ref: string): Promise<Checkout> =>
  (await findCheckout(git, repository, common, ref)) ?? { worktree: repository, clean: false };

async function rebasingWorktree(common: string, ref: string): Promise<string | null> {
  const worktrees = path.join(common, 'worktrees');
  for (const name of (await ifThere(readdir(worktrees))) ?? []) {
    const head = await ifThere(readFile(path.join(worktrees, name, 'rebase-merge/head-name'), 'utf8'));
    const pointer = await ifThere(readFile(path.join(worktrees, name, 'gitdir'), 'utf8'));
    if (head?.trim() === ref && pointer !== null) return path.dirname(pointer.trim());
  }
  return null;
}

const refusedBy = (answer: string, stderr: string, exitCode: number | null): GitError =>
  new GitError({
    command: 'push',
    exitCode,
    stderr: `${/^!.*$/m.exec(answer)?.[0] ?? answer}\n${stderr}`,
    cause: null,
  });
