import { useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Changes } from '../types.js';
import { ChangesBar } from './changes-bar.js';
import { isOn, useComments } from './comments.js';
import { useDiffOptions } from './diff-options.js';
import { FileDiff } from './file-diff.js';
import { FileTree } from './file-tree.js';
import { Remark } from './remark.js';
import { useViewed } from './viewed.js';

/** The diff of an attempt, file by file, with comments that are sent as one message. */
export function ChangesView({ attempt_id, project_id }: { attempt_id: string; project_id: string }) {
  const comments = useComments(attempt_id, project_id);
  const [isSince, setSince] = useState(false);
  const since = isSince ? comments.reviewed_at : null;
  const query = { detail: true, force: true, ...(since !== null && { since_review: true }) };
  const changes = useResource<Changes>(
    `changes:${attempt_id}:${since}`,
    () => must(api.GET('/api/attempts/{attempt_id}/changes', { params: { path: { attempt_id }, query } })),
    concernsAttempt(attempt_id),
  );
  const viewed = useViewed(attempt_id);
  const diff = useDiffOptions();
  if (!changes.data) return changes.error ? <Refusal error={changes.error} /> : <Loading />;
  const { of, summary, file_stats = [], blocked } = changes.data;
  const elsewhere = comments.all.filter((comment) => !file_stats.some((file) => isOn(file)(comment)));
  return (
    <section class="changes">
      <ChangesBar changes={changes.data} {...{ comments, viewed, isSince, setSince, diff }} />
      {blocked && <p class="notice">The changes could not be summed up. Reload the page to try again.</p>}
      {of === 'delivered' && <p class="quiet">All of this has been delivered.</p>}
      {summary.file_count === 0 && (
        <p class="quiet">{since ? 'Nothing has changed since.' : 'Nothing has changed yet.'}</p>
      )}
      <div class="files">
        {file_stats.length > 1 && <FileTree files={file_stats} viewed={viewed} />}
        <div class="diffs">
          {file_stats.map((file, index) => (
            <FileDiff
              key={file.path}
              id={`file-${index}`}
              {...{ file, comments, viewed }}
              options={diff.options}
              shown={{ attempt_id, since }}
            />
          ))}
          {elsewhere.length > 0 && <h3>Comments on files without changes</h3>}
          {elsewhere.map((comment) => (
            <Remark key={comment.comment_id} isApart {...{ comment, comments }} />
          ))}
        </div>
      </div>
    </section>
  );
}
