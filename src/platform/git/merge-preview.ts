import { type Conflict, conflictsOf, type MergeMessage, stagesOf } from './conflicts.js';
import { GitError } from './git-error.js';
import type { Git } from './git.js';
import { locationEnvironment, type WorktreeLocation } from './worktree-pointer.js';

/** What a merge of two commits would make. Nothing moves: no branch, no index and no file. */
export type MergePreview =
  { outcome: 'clean'; tree: string } | { outcome: 'conflict'; conflicts: Conflict[] } | { outcome: 'unrelated' };

/** Runs in a worktree, where git finds the attributes and submodules that decide how files are merged.
 *  @param ours, theirs ids of commits. @throws GitError */
export async function previewMerge(
  git: Git,
  place: WorktreeLocation,
  ours: string,
  theirs: string,
): Promise<MergePreview> {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  try {
    const { stdout, exitCode } = await git.run(place.dir, args, { env: locationEnvironment(place), accept: [0, 1] });
    const fields = stdout.toString('latin1').split('\0');
    const tree = fields[0] ?? '';
    // Exit code 1 without a tree is what a name that leads nowhere is answered with.
    if (!/^[0-9a-f]{40,64}$/.test(tree)) throw unreadable(exitCode);
    if (exitCode === 0) return { outcome: 'clean', tree };
    const end = fields.indexOf('', 1);
    const staged = stagesOf(fields.slice(1, end));
    return { outcome: 'conflict', conflicts: conflictsOf(staged, messagesOf(fields.slice(end + 1))) };
  } catch (error) {
    if (error instanceof GitError && error.says(/unrelated histories/)) return { outcome: 'unrelated' };
    throw error;
  }
}

/** `<number of paths> NUL path … NUL type NUL text NUL`, one after another. */
function messagesOf(fields: readonly string[]): MergeMessage[] {
  const messages: MergeMessage[] = [];
  for (let at = 0; /^\d+$/.test(fields[at] ?? '');) {
    const type = at + 1 + Number(fields[at]);
    messages.push({ paths: fields.slice(at + 1, type), type: fields[type] ?? '', text: fields[type + 1] ?? '' });
    at = type + 2;
  }
  return messages;
}

const unreadable = (exitCode: number | null): GitError =>
  new GitError({ command: 'merge-tree', exitCode, stderr: 'fatal: a commit to merge is gone', cause: null });
