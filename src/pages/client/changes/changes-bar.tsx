import { useAction } from '../action.js';
import { Refusal } from '../parts/notice.js';
import type { Changes } from '../types.js';
import type { Comments } from './comments.js';
import { DiffOptionsBox, type useDiffOptions } from './diff-options.js';
import type { useViewed } from './viewed.js';

interface ChangesBarProps {
  changes: Changes;
  comments: Comments;
  viewed: ReturnType<typeof useViewed>;
  isSince: boolean;
  setSince: (isSince: boolean) => void;
  diff: ReturnType<typeof useDiffOptions>;
}

/** How much has changed, how it is shown, and what is sent. */
export function ChangesBar({ changes, comments, viewed, isSince, setSince, diff }: ChangesBarProps) {
  const { summary, file_stats = [] } = changes;
  const send = useAction(comments.send, 'Comments sent');
  return (
    <>
      <div class="bar">
        <h2>
          {`${summary.file_count} ${summary.file_count === 1 ? 'file' : 'files'} `}
          <span class="added">+{summary.added}</span> <span class="deleted">−{summary.deleted}</span>
        </h2>
        {comments.reviewed_at !== null && (
          <label class="since">
            <input type="checkbox" checked={isSince} onChange={() => setSince(!isSince)} /> Since my last review
          </label>
        )}
        {comments.open.length > 0 && (
          <button type="button" class="primary" disabled={send.isRunning} onClick={() => send.run()}>
            Send comments{' '}
            <span class="count" aria-hidden="true">
              {comments.open.length}
            </span>
          </button>
        )}
        {file_stats.length > 0 && (
          <span class="quiet">
            {file_stats.filter(viewed.has).length} of {file_stats.length} viewed
          </span>
        )}
        {file_stats.length > 0 && <DiffOptionsBox {...diff} />}
      </div>
      <Refusal error={send.error ?? comments.error} />
    </>
  );
}
