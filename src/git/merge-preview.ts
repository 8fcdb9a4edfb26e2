import { type Conflict, conflictsOf, type MergeMessage, stagesOf } from './conflicts.js';
import { GitError } from './git-error.js';
import type { Git } from './git.js';

/** Result of a merge of two commits. No branch, index or file changes. */
export type MergePreview =
  { outcome: 'clean'; tree: string } | { outcome: 'conflict'; conflicts: Conflict[] } | { outcome: 'unrelated' };

/** Follows no attributes and no driver. @param store a bare repository
 *  @param ours, theirs ids of commits. @throws GitError */
export async function previewMerge(git: Git, store: string, ours: string, theirs: string): Promise<MergePreview> {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  try {
    const { stdout, exitCode } = await git.run(store, args, { accept: [0, 1] });
    const fields = stdout.toString('latin1').split('\0');
    const tree = fields[0] ?? '';
    // Git answers an unknown name with exit code 1 and no tree.
    if (!/^[0-9a-f]{40,64}$/.test(tree)) throw unreadable(exitCode);
    if (exitCode === 0) return { outcome: 'clean', tree };
    const end = fields.indexOf('', 1);
    const real = (name: string): string => withoutLabel(name, [ours, theirs]);
    const staged = stagesOf(fields.slice(1, end).map(real));
    const messages = messagesOf(fields.slice(end + 1)).map(({ paths, ...message }) => ({
      ...message,
      paths: [...new Set(paths.map(real))],
    }));
    return { outcome: 'conflict', conflicts: conflictsOf(staged, messages) };
  } catch (error) {
    if (error instanceof GitError && error.says(/unrelated histories/)) return { outcome: 'unrelated' };
    throw error;
  }
}

/** Conflicts of replaying one commit: a merge whose base is the parent of that commit.
 *  @param commit of the side that is replayed; @param onto where it is to go. @throws GitError */
export async function previewStep(git: Git, store: string, commit: string, onto: string): Promise<MergePreview> {
  // git 2.39 cannot be told a base, so a commit with the files of the other side is put on that parent.
  const args = ['commit-tree', `${onto}^{tree}`, '-p', `${commit}^`, '-m', 'The other side'];
  return previewMerge(git, store, commit, await git.text(store, args, { env: NOBODY }));
}

/** What a clean merge leaves, as a commit that no branch holds. @returns null where there is no such merge.
 *  @throws GitError */
export async function mergedCommit(git: Git, store: string, ours: string, theirs: string): Promise<string | null> {
  const merge = await previewMerge(git, store, ours, theirs);
  if (merge.outcome !== 'clean') return null;
  return git.text(store, ['commit-tree', merge.tree, '-p', ours, '-p', theirs, '-m', 'Merged'], { env: NOBODY });
}

/** The same object each time. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'Taskyard',
  GIT_AUTHOR_EMAIL: 'taskyard@localhost',
  GIT_AUTHOR_DATE: '2000-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Taskyard',
  GIT_COMMITTER_EMAIL: 'taskyard@localhost',
  GIT_COMMITTER_DATE: '2000-01-01T00:00:00Z',
};

/** If two things claim one name, git calls one of them `<name>~<commit>`, which does not exist on disk. */
function withoutLabel(name: string, labels: readonly string[]): string {
  const label = labels.find((one) => name.includes(`~${one}`));
  return label === undefined ? name : name.slice(0, name.lastIndexOf(`~${label}`));
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
