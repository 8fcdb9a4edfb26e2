import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { wordsForFailure } from '../attempt/failure-words.js';
import { DeliveryBadge } from '../parts/badge.js';
import { InlineText } from '../parts/inline-text.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';
import type { Exhausted, Inbox, Waiting } from '../types.js';
import { Ended } from './ended.js';
import { markRead, useNotices } from './notices.js';
import { Question, useQuestions } from './questions.js';

/** Tasks that the server lists. */
const MOST = 50;

/** Everything that waits for a person: questions of agents, failed runs, what was tried in vain, work to review. */
export function InboxPage() {
  useTitle('Inbox');
  const questions = useQuestions();
  const notices = useNotices().data;
  const read = useAction(markRead, 'All is read');
  const waiting = useResource(
    'inbox',
    () => must(api.GET('/api/inbox')),
    ({ type }) => /\.(attempt|task|continuation)\./.test(type),
  );
  return (
    <div class="column-of-text">
      <header class="page-head lead">
        <h1>Inbox</h1>
        <button type="button" disabled={!notices?.unread || read.isRunning} onClick={() => read.run()}>
          Mark all read
        </button>
      </header>
      <Refusal error={read.error} />
      <section>
        <h2>Questions</h2>
        <Refusal error={questions.error} />
        {!questions.data && !questions.error && <Loading />}
        {questions.data?.approvals.length === 0 && <p class="quiet">No agent asks for anything.</p>}
        {questions.data?.approvals.map((approval) => (
          <Question
            key={approval.approval_id}
            approval={approval}
            notice={notices?.questions.find(({ approval_id }) => approval_id === approval.approval_id)}
            answered={questions.reload}
          />
        ))}
      </section>
      <Ended notices={notices?.ended ?? []} />
      <WaitingTasks inbox={waiting.data} />
      <Refusal error={waiting.error} />
    </div>
  );
}

const WaitingTasks = ({ inbox }: { inbox: Inbox | null }) => (
  <>
    <Tasks title="Failed runs" none="No run has failed." rows={inbox?.failed} />
    {inbox?.exhausted.length ? <Tasks title="Tried in vain" rows={inbox.exhausted.map(givenUp)} /> : null}
    <Tasks title="In review" none="Nothing waits for a review." rows={inbox?.reviews} />
  </>
);

const givenUp = ({ reason, ...task }: Exhausted): Waiting => ({ ...task, failure_summary: null, hint: reason });

/** @param none said where there are no rows */
function Tasks({ title, none, rows }: { title: string; none?: string; rows?: Waiting[] }) {
  return (
    <section>
      <h2>{title}</h2>
      {rows?.length === 0 && <p class="quiet">{none}</p>}
      <ul class="plain-list">
        {rows?.map((task) => (
          <li key={task.task_id} class="card">
            <div class="row">
              <a href={addressOf(task)}>
                <InlineText text={task.title} />
              </a>
              <DeliveryBadge state={task.delivery_state} />
              <span class="quiet">
                {[task.project_name, task.executor].filter(Boolean).join(' · ')} · <Time at={task.waits_since} />
              </span>
            </div>
            {task.failure_summary && <p class="failure">{wordsForFailure(task.failure_summary)}</p>}
            {task.hint && <p class="quiet">{task.hint}</p>}
          </li>
        ))}
      </ul>
      {rows?.length === MOST && <p class="quiet">The newest {MOST} are shown.</p>}
    </section>
  );
}

const addressOf = ({ project_id, attempt_id, task_id }: Waiting) =>
  attempt_id ? to.attempt(project_id, attempt_id) : to.task(project_id, task_id);
