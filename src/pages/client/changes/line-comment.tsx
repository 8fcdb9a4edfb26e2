import { CommentForm } from './comment-form.js';
import { type Comments, pathOn } from './comments.js';
import type { Range } from './ranges.js';
import type { DiffLine } from './unified-diff.js';
import type { FileStat } from './viewed.js';

interface LineCommentProps {
  attempt_id: string;
  file: FileStat;
  comments: Comments;
  lines: readonly DiffLine[];
  range: Range;
  close: () => void;
}

/** What somebody is about to say about picked lines. */
export function LineComment({ attempt_id, file, comments, lines, range, close }: LineCommentProps) {
  const { side, line, end_line, first, last } = range;
  return (
    <CommentForm
      draft={`comment:${attempt_id}:${file.path}`}
      verb="Add comment"
      done="Comment added"
      {...(side === 'new' && { suggest: () => textOf(lines.slice(first, last + 1)) })}
      save={(key, text) => comments.add(key, { path: pathOn(file, side), side, line, end_line, text })}
      close={close}
    />
  );
}

const textOf = (lines: readonly DiffLine[]): string =>
  lines
    .filter((line) => line.new !== null)
    .map((line) => line.text)
    .join('\n');
