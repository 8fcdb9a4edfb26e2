import type { Operation, OperationKind } from '../git/git-dir-state.js';
import type { Git } from '../git/git.js';
import { Parcel } from '../git/parcel.js';
import { commitOf } from '../git/refs.js';
import type { InsideGit, ScriptCall } from './inside-git.js';
import { LOOK } from './inside-scripts.js';
import { type Stores, tipOf } from './stores.js';
import type { TreePlace } from './trees.js';

/** Whoever looks needs these. */
export interface Lookout {
  git: Git;
  inside: InsideGit;
  stores: Stores;
}

/** refs: commits and operation alone; status: whether there is uncommitted work, too; work: that work, if there is any;
 *  all: files and index as trees in any case. */
export type Wanted = 'refs' | 'status' | 'work' | 'all';

/** How a worktree stands. Every commit and tree named here is in the store. */
export interface Look {
  /** Tip of the branch of the attempt; null where it is gone. */
  head: string | null;
  /** Commit that is checked out. */
  tip: string | null;
  /** Tips of all branches of the run and of its stash, where everything was wanted. */
  others: string[];
  isOnBranch: boolean;
  operation: Operation | null;
  /** A rebase would run commands; git of ours begins none that does. */
  hasCommands: boolean;
  isDirty: boolean;
  /** Trees of the files and of the index; null where nobody wanted them or they are too large. */
  files: string | null;
  staged: string | null;
  /** Bytes of uncommitted files, where they are too many to be read. */
  tooLarge: number | null;
  /** How the step before the look ended; 0 without one. */
  exitCode: number;
}

/** What comes before a look, in the same walls, on what the run owns. Only while no run of the attempt is live. */
export interface Step {
  args: readonly string[];
  input?: string;
  /** Exit codes that are answers; default 0 alone. */
  accept?: readonly number[];
}

/** Writes the run's own index anew: git rereads files as new as it on each later call. */
export const REFRESH: Step = { args: ['refresh'] };

/** Exit code of `commitAll` where nothing was committed: there is nothing, HEAD has left the branch, or a merge has
 *  unresolved conflicts. */
export const NOT_COMMITTED = 3;

/** Commits everything to the branch, without hooks and signatures of the user; repositories inside stay as they are. */
export const commitAll = (message: string): Step => ({
  args: ['commit_all'],
  input: message,
  accept: [0, NOT_COMMITTED],
});

/** Of uncommitted files that are taken over for a look, or counted; a commit takes more. */
export const MAX_WORK_BYTES = 256 * 1024 * 1024;
/** Of objects at a time. */
const MAX_PACK_BYTES = 8 * 1024 ** 3;
const TIMEOUT_MS = 15 * 60_000;

interface LookOptions {
  first?: Step | undefined;
  /** Names of files of repositories inside it, which then count as files; each ends with NUL. */
  nested?: Buffer;
}

/** Looks at a worktree from within the walls, and takes what is new there into the store.
 *  @throws GitError */
export async function lookAt(
  { git, inside, stores }: Lookout,
  tree: TreePlace,
  want: Wanted,
  options: LookOptions = {},
): Promise<Look> {
  const tips = ['base', 'head', 'work', 'saved/work', 'updating'] as const;
  const [base, head, ...others] = await Promise.all(tips.map((tip) => tipOf(tree.store, tip)));
  const parcel = new Parcel(git, tree.store, MAX_PACK_BYTES);
  const known = { HEAD: head ?? '', KNOWN: [...new Set([base, head, ...others])].filter(Boolean).join(' ') };
  const call = callOf(want, options, known);
  const opened = parcel.opened();
  opened.catch(() => undefined); // the walls say it better
  await inside.run(tree, { ...call, sink: parcel.sink });
  const look = read(await opened, tree);
  // a ref may name anything
  const isNew = look.head !== null && look.head !== head;
  if (isNew && (await commitOf(git, tree.store, look.head!)) !== null) await stores.move(tree.store, 'head', look.head);
  return look;
}

function callOf(want: Wanted, { nested, first }: LookOptions, known: Record<string, string>): ScriptCall {
  const { args, input, accept }: Step = { accept: [0], args: [], ...first };
  const variables = {
    ...known,
    WANT: want,
    MOST: String(nested === undefined ? MAX_WORK_BYTES : Number.MAX_SAFE_INTEGER),
    NESTED: nested === undefined ? '' : 'yes',
    ACCEPT: accept.join(' '),
  };
  const options = { timeoutMs: TIMEOUT_MS, input: input ?? nested ?? '' };
  return { target: 'copy', script: LOOK, args, variables, options };
}

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const MARKS: Readonly<Record<string, OperationKind>> = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry_pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
};

/** Of the lines of LOOK; whatever a run has put into them, ids are ids and numbers numbers. */
function read(lines: readonly string[], { branch }: TreePlace): Look {
  const said = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  const id = (key: string): string | null => ID.exec(said.get(key) ?? '')?.[0] ?? null;
  const large = said.get('large');
  return {
    head: id('head'),
    tip: id('tip'),
    others: (said.get('others') ?? '').split(' ').filter((one) => ID.test(one)),
    isOnBranch: said.get('at') === `ref: refs/heads/${branch}`,
    operation: operationIn(said, id),
    hasCommands: said.has('commands'),
    isDirty: said.has('dirty'),
    files: id('files'),
    staged: id('staged'),
    tooLarge: large === undefined ? null : Number(large),
    exitCode: Number(said.get('code') ?? 0),
  };
}

function operationIn(said: ReadonlyMap<string, string>, id: (key: string) => string | null): Operation | null {
  if (said.has('operation')) {
    const commit = id('stopped');
    const step = commit && { done: Number(said.get('done')) || 0, total: Number(said.get('total')) || 0, commit };
    return { kind: 'rebase', onto: id('onto'), step: step || null };
  }
  const mark = Object.keys(MARKS).find((name) => said.has(name));
  if (mark === undefined) return null;
  const kind = MARKS[mark]!;
  return { kind, onto: kind === 'merge' ? id(mark) : null, step: null };
}
