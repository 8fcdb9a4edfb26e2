import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { Markdown } from '../parts/markdown.js';
import { Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { CommentForm } from './comment-form.js';
import type { Comment, Comments } from './comments.js';

interface RemarkProps {
  comment: Comment;
  comments: Comments;
  /** It does not stand below its lines, which are shown with it. */
  isApart?: boolean;
}

const WORDS = { open: '', sent: 'Sent', answered: 'Answered' };

/** What somebody said about some lines, and what became of it. */
export function Remark({ comment, comments, isApart = false }: RemarkProps) {
  const { comment_id, author, text, lines, line, end_line, side, path, state, outdated } = comment;
  const [isEdited, setEdited] = useState(false);
  if (isEdited)
    return (
      <CommentForm
        draft={`comment:${comment_id}`}
        initial={text}
        verb="Save comment"
        done="Comment saved"
        save={(_, next) => comments.edit(comment_id, next)}
        close={() => setEdited(false)}
      />
    );
  const place = line === end_line ? `line ${line}` : `lines ${line} to ${end_line}`;
  return (
    <article class={`remark ${state}`} tabIndex={-1} aria-label={`Comment by ${author} on ${path}, ${place}`}>
      <p class="remark-head">
        <strong>{author}</strong> <Time at={comment.created_at} />
        {(isApart || line !== end_line) && <span class="quiet">{side === 'old' ? `${place}, before` : place}</span>}
        {outdated && <span class="badge">Outdated</span>}
        {WORDS[state] && <span class="badge">{WORDS[state]}</span>}
      </p>
      {isApart && <pre>{lines}</pre>}
      <Markdown text={text} />
      <Actions {...{ comment, comments }} edit={() => setEdited(true)} />
    </article>
  );
}

/** One's own can be edited until an agent has it, and those of others deleted by who looks after the project. */
function Actions({ comment, comments, edit }: { comment: Comment; comments: Comments; edit: () => void }) {
  const { comment_id, is_own, state } = comment;
  const remove = useAction(() => comments.remove(comment_id), 'Comment deleted');
  if (!comments.mayDelete(comment)) return null;
  return (
    <>
      <Refusal error={remove.error} />
      <div class="bar">
        {is_own && state === 'open' && (
          <button type="button" class="plain" onClick={edit}>
            Edit
          </button>
        )}
        <button type="button" class="plain" disabled={remove.isRunning} onClick={() => remove.run()}>
          Delete
        </button>
      </div>
    </>
  );
}
