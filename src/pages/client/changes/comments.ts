import { api, must } from '../api.js';
import { sendFollowUp } from '../attempt/follow-up.js';
import { concernsAttempt } from '../feed.js';
import type { components } from '../generated/api.js';
import { useProject } from '../projects.js';
import { useResource } from '../resource.js';
import type { FileStat } from './viewed.js';

export type Comment = components['schemas']['ReviewCommentOutput'];
export type Side = Comment['side'];
export type Comments = ReturnType<typeof useComments>;
type NewComment = Pick<Comment, 'path' | 'side' | 'line' | 'end_line' | 'text'>;

/** What everybody said about the changes of an attempt, and what can be done with it. */
export function useComments(attempt_id: string, project_id: string) {
  const role = useProject(project_id).data?.role;
  const { data, error, reload } = useResource(
    `comments:${attempt_id}`,
    () => readAll(attempt_id),
    concernsAttempt(attempt_id),
  );
  const all = data?.comments ?? [];
  const open = all.filter(({ state }) => state === 'open');
  const then = async (done: Promise<unknown>) => {
    await done;
    reload();
  };
  const keyed = (key: string) => ({ path: { attempt_id }, header: { 'Idempotency-Key': key } });
  const one = (comment_id: string) => ({ path: { attempt_id, comment_id } });
  return {
    all,
    open,
    /** When the reader last sent comments; null before the first time. */
    reviewed_at: data?.reviewed_at ?? null,
    error,
    mayDelete: ({ is_own }: Comment) => is_own || role === 'maintainer' || role === 'owner',
    add: (key: string, body: NewComment) =>
      then(must(api.POST('/api/attempts/{attempt_id}/comments', { params: keyed(key), body }))),
    edit: (comment_id: string, text: string) =>
      then(
        must(
          api.PATCH('/api/attempts/{attempt_id}/comments/{comment_id}', { params: one(comment_id), body: { text } }),
        ),
      ),
    remove: (comment_id: string) =>
      then(must(api.DELETE('/api/attempts/{attempt_id}/comments/{comment_id}', { params: one(comment_id) }))),
    send: (key: string) => {
      const comment_ids = open.map(({ comment_id }) => comment_id);
      return then(sendFollowUp({ attempt_id, key, action: 'queue', comment_ids }));
    },
  };
}

async function readAll(attempt_id: string): Promise<{ comments: Comment[]; reviewed_at: string | null }> {
  const comments: Comment[] = [];
  let reviewed_at: string | null = null;
  for (let cursor: number | null | undefined; cursor !== null;) {
    const query = { limit: 500, cursor };
    const page = await must(
      api.GET('/api/attempts/{attempt_id}/comments', { params: { path: { attempt_id }, query } }),
    );
    comments.push(...page.comments);
    reviewed_at = page.reviewed_at;
    cursor = page.next_cursor;
  }
  return { comments, reviewed_at };
}

/** A renamed file has a path on each side. */
export const pathOn = (file: FileStat, side: Side): string =>
  side === 'old' ? (file.old_path ?? file.path) : file.path;

export const isOn = (file: FileStat) => (comment: Comment) => comment.path === pathOn(file, comment.side);
