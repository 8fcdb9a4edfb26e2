import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { sendFollowUp } from '../attempt/follow-up-box.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Changes } from '../types.js';
import { promptOf, useComments } from './comments.js';
import { FileDiff } from './file-diff.js';
import { FileTree } from './file-tree.js';
import { treeOf } from './tree.js';
import { useViewed } from './viewed.js';

/** The diff of an attempt, file by file, with remarks that become one follow-up. */
export function ChangesView({ attempt_id }: { attempt_id: string }) {
  const query = { detail: true };
  const changes = useResource<Changes>(
    `changes:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/changes', { params: { path: { attempt_id }, query } })),
    concernsAttempt(attempt_id),
  );
  const review = useComments(attempt_id);
  const viewed = useViewed(attempt_id);
  const send = useAction(async (key) => {
    await sendFollowUp({ attempt_id, key, action: 'queue', prompt: promptOf(review.comments) });
    review.clear();
  }, 'Comments sent');
  if (!changes.data) return changes.error ? <Refusal error={changes.error} /> : <Loading />;
  const { of, summary, file_stats = [], blocked, hint } = changes.data;
  return (
    <section class="changes">
      <div class="bar">
        <h2>
          {`${summary.file_count} ${summary.file_count === 1 ? 'file' : 'files'} `}
          <span class="added">+{summary.added}</span> <span class="deleted">−{summary.deleted}</span>
        </h2>
        {review.comments.length > 0 && (
          <button type="button" class="primary" disabled={send.isRunning} onClick={() => send.run()}>
            Send comments{' '}
            <span class="count" aria-hidden="true">
              {review.comments.length}
            </span>
          </button>
        )}
        {file_stats.length > 0 && (
          <span class="quiet">
            {file_stats.filter(viewed.has).length} of {file_stats.length} viewed
          </span>
        )}
      </div>
      <Refusal error={send.error} />
      {blocked && <p class="notice">{hint}</p>}
      {of === 'delivered' && <p class="quiet">All of this has been delivered.</p>}
      {summary.file_count === 0 && <p class="quiet">Nothing has changed yet.</p>}
      <div class="files">
        {file_stats.length > 1 && (
          <nav class="tree" aria-label="Files">
            <FileTree folder={treeOf(file_stats)} viewed={viewed} />
          </nav>
        )}
        <div class="diffs">
          {file_stats.map((file, index) => (
            <FileDiff key={file.path} id={`file-${index}`} {...{ attempt_id, file, review, viewed }} />
          ))}
        </div>
      </div>
    </section>
  );
}
