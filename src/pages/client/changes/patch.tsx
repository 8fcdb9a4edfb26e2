import { useEffect, useMemo, useState } from 'preact/hooks';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Comment, Comments } from './comments.js';
import type { DiffOptions } from './diff-options.js';
import { folded } from './folding.js';
import { readPatch, type Shown } from './patches.js';
import { PatchLines } from './patch-lines.js';
import { placed } from './ranges.js';
import { Remark } from './remark.js';
import { linesOf, type Stretch } from './unified-diff.js';
import { type FileStat, markOf } from './viewed.js';

interface PatchProps {
  shown: Shown;
  options: DiffOptions;
  file: FileStat;
  comments: Comments;
  /** Those on the file. */
  own: readonly Comment[];
}

/** The changed lines of a file, with what was said about them. */
export function Patch({ shown, options, file, comments, own }: PatchProps) {
  const { attempt_id, since } = shown;
  const { isSplit = false, wraps = false, ignoresSpace = false } = options;
  const [open, setOpen] = useState<readonly Stretch[]>([]);
  const isUnfolded = open.length > 0;
  const patch = useResource(`patch:${attempt_id}:${since}:${ignoresSpace}:${markOf(file)}`, () =>
    readPatch({ ...shown, ignoresSpace }, file, isUnfolded),
  );
  useEffect(() => {
    if (isUnfolded) patch.reload(); // what is there stays meanwhile
  }, [isUnfolded]);
  const { text = '', isWhole = false } = patch.data ?? {};
  const all = useMemo(() => linesOf(text), [text]);
  const folds = useMemo(() => folded(all, open, isWhole), [all, open, isWhole]);
  // since a review, numbers of the former side are those of a state that nobody can name
  const lines = useMemo(() => folds.lines.map((line) => (since ? { ...line, old: null } : line)), [folds, since]);
  const { byRow, others } = placed(lines, own);
  if (!patch.data) return patch.error ? <Refusal error={patch.error} /> : <Loading />;
  const { isCut } = patch.data;
  return (
    <>
      {others.map((comment) => (
        <Remark key={comment.comment_id} isApart {...{ comment, comments }} />
      ))}
      {lines.length > 0 ? (
        <PatchLines
          {...{ attempt_id, file, comments, lines, byRow, isSplit, wraps, isCut }}
          rest={folds.rest}
          unfold={(stretch) => setOpen([...open, stretch])}
        />
      ) : (
        <p class="quiet no-lines">{nothingToShow(file, ignoresSpace)}</p>
      )}
    </>
  );
}

const nothingToShow = ({ old_path, added, deleted }: FileStat, ignoresSpace: boolean): string => {
  if (added + deleted > 0)
    return ignoresSpace ? 'Nothing but white space has changed.' : 'Its lines cannot be shown here.';
  return old_path
    ? `Renamed from ${old_path}, and not changed.`
    : 'No lines to show: a binary file or a change of mode.';
};
