import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { CommentForm } from './comment-form.js';
import { type Comment, type Comments, pathOn } from './comments.js';
import { readPatch, type Shown } from './patches.js';
import { usePicking } from './picking.js';
import { placed, type Range } from './ranges.js';
import { Remark } from './remark.js';
import { type DiffLine, linesOf } from './unified-diff.js';
import { type FileStat, markOf } from './viewed.js';

interface PatchProps {
  shown: Shown;
  file: FileStat;
  comments: Comments;
  /** Those on the file. */
  own: readonly Comment[];
}

/** The changed lines of a file, with what was said about them. */
export function Patch({ shown, file, comments, own }: PatchProps) {
  const { attempt_id, since } = shown;
  const patch = useResource(`patch:${attempt_id}:${since}:${markOf(file)}`, () => readPatch(shown, file));
  const text = patch.data?.text ?? '';
  // since a review, numbers of the former side are those of a state that nobody can name
  const lines = useMemo(() => linesOf(text).map((line) => (since ? { ...line, old: null } : line)), [text, since]);
  const rows = useMemo(() => lines.map((line, at) => row(line, at, false)), [lines]);
  const picking = usePicking(lines);
  const { byRow, others } = placed(lines, own);
  if (!patch.data) return patch.error ? <Refusal error={patch.error} /> : <Loading />;
  const apart = others.map((comment) => <Remark key={comment.comment_id} isApart {...{ comment, comments }} />);
  if (lines.length === 0)
    return (
      <>
        {apart}
        <p class="quiet no-lines">{withoutLines(file)}</p>
      </>
    );
  const { range, isAsked, close, listeners } = picking;
  const isPicked = (at: number) => range !== null && at >= range.first && at <= range.last;
  const form = ({ side, line, end_line, first, last }: Range) => (
    <CommentForm
      key="form"
      draft={`comment:${attempt_id}:${file.path}`}
      verb="Add comment"
      done="Comment added"
      {...(side === 'new' && { suggest: () => textOf(lines.slice(first, last + 1)) })}
      save={(key, said) => comments.add(key, { path: pathOn(file, side), side, line, end_line, text: said })}
      close={close}
    />
  );
  return (
    <>
      {apart}
      <div class="patch" role="group" aria-label={`Changes of ${file.path}`} {...listeners}>
        {rows.flatMap((plain, at): VNode[] => [
          isPicked(at) ? row(lines[at]!, at, true) : plain,
          ...(byRow.get(at) ?? []).map((comment) => <Remark key={comment.comment_id} {...{ comment, comments }} />),
          ...(isAsked && range?.last === at ? [form(range)] : []),
        ])}
        {patch.data.isCut && <p class="notice">This is too long to be shown whole: what follows is left out.</p>}
      </div>
    </>
  );
}

const withoutLines = ({ old_path, added, deleted }: FileStat): string => {
  if (added + deleted > 0) return 'Its lines cannot be shown here.';
  return old_path
    ? `Renamed from ${old_path}, and not changed.`
    : 'No lines to show: a binary file or a change of mode.';
};

const textOf = (lines: readonly DiffLine[]): string =>
  lines
    .filter((line) => line.new !== null)
    .map((line) => line.text)
    .join('\n');

const SIGNS = { added: '+', deleted: '−', context: ' ', hunk: ' ' };

/** Elements rather than a component, because there are thousands. */
const row = (line: DiffLine, at: number, isPicked: boolean) => (
  <div key={at} class={`diff-line ${line.kind}${isPicked ? ' picked' : ''}`} data-row={at}>
    <span class="number">{line.old}</span>
    <span class="number">{line.new}</span>
    <span class="sign">
      {(line.old ?? line.new) !== null && (
        <button
          type="button"
          class="comment"
          aria-label="Comment"
          title={`Comment on line ${line.new ?? line.old}; with Shift on all lines up to it`}
        >
          +
        </button>
      )}
      {SIGNS[line.kind]}
    </span>
    <span class="text">{line.text}</span>
  </div>
);
