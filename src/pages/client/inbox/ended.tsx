import { useAction } from '../action.js';
import { wordsForFailure } from '../attempt/failure-words.js';
import { DeliveryBadge, StateBadge } from '../parts/badge.js';
import { InlineText } from '../parts/inline-text.js';
import { Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { to } from '../routes.js';
import { type EndNotice, type QuestionNotice, setWatching } from './notices.js';

/** Runs that one asked to be told of, once they have ended. */
export function Ended({ notices }: { notices: readonly EndNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <section>
      <h2>You wanted to know</h2>
      <ul class="plain-list">
        {notices.map((notice) => (
          <li key={notice.task_id} class="card">
            <div class="row">
              <About notice={notice} />
              <StopTelling task_id={notice.task_id} />
            </div>
            <p class="facts">
              <StateBadge state={notice.outcome} />
              <DeliveryBadge state={notice.delivery_state} />
              {notice.outcome === 'failed' && notice.failure_summary && wordsForFailure(notice.failure_summary)}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whose it is, what it is about, since when, and whether it is new to the reader. */
export const About = ({ notice }: { notice: EndNotice | QuestionNotice }) => (
  <>
    <a href={to.attempt(notice.project_id, notice.attempt_id)}>
      <InlineText text={notice.title} />
    </a>
    <span class="quiet">
      {[notice.project_name, notice.executor].filter(Boolean).join(' · ')} · <Time at={notice.at} />
    </span>
    {notice.is_unread && <span class="badge open">new</span>}
  </>
);

function StopTelling({ task_id }: { task_id: string }) {
  const stop = useAction(() => setWatching(task_id, false), 'You are not told any more');
  return (
    <>
      <button type="button" class="plain" disabled={stop.isRunning} onClick={() => stop.run()}>
        Stop telling me
      </button>
      <Refusal error={stop.error} />
    </>
  );
}
