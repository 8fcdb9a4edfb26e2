import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { sendFollowUp } from '../attempt/follow-up.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';

interface ReviewProps {
  attempt_id: string;
  repo_id: string;
  isOpen: boolean;
  /** When the forge was last asked; a change means that there may be more. */
  synced_at: string;
}

/** Checks and comments of a pull request; chosen comments are quoted to the agent. */
export function Review({ attempt_id, repo_id, isOpen, synced_at }: ReviewProps) {
  const params = { path: { attempt_id }, query: { repo_id, only_unresolved: true } };
  const { data, error, reload } = useResource(`pull:${repo_id}`, () =>
    must(api.GET('/api/attempts/{attempt_id}/pull-request', { params })),
  );
  useEffect(reload, [synced_at]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const send = useAction(async (key) => {
    await sendFollowUp({ attempt_id, key, action: 'queue', comment_ids: [...chosen] });
    setChosen(new Set());
    reload();
  }, 'Comments sent to the agent');
  const toggle = (comment_id: string) => {
    const next = new Set(chosen);
    if (!next.delete(comment_id)) next.add(comment_id);
    setChosen(next);
  };
  if (!data) return <Refusal error={error} />;
  const checks = data.repos.flatMap((repo) => repo.checks);
  return (
    <>
      {checks.length > 0 && (
        <ul class="checks-list" aria-label="Checks">
          {checks.map(({ name, state, url }) => (
            <li key={name}>
              <span class={`badge ${state}`}>{state}</span>{' '}
              {url ? (
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {name}
                </a>
              ) : (
                name
              )}
            </li>
          ))}
        </ul>
      )}
      {data.comments.map(({ comment_id: id, ...comment }) => (
        <label class="review-comment" key={id}>
          <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />{' '}
          <strong>{comment.author}</strong> {comment.path && <code>{`${comment.path}:${comment.line ?? ''}`}</code>}
          {!comment.trusted && <span class="badge asks">not a member</span>}
          <span class="prompt">{comment.body}</span>
        </label>
      ))}
      {isOpen && data.comments.length > 0 && (
        <button type="button" disabled={chosen.size === 0 || send.isRunning} onClick={() => send.run()}>
          Send comments to the agent <span class="count">{chosen.size}</span>
        </button>
      )}
      <Refusal error={send.error} />
    </>
  );
}
