import { useEffect, useState } from 'preact/hooks';
import { api, must } from '../api.js';
import type { BoardEvent } from '../feed.js';
import { StateBadge } from '../parts/badge.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Tabs } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/title.js';
import { useResource } from '../resource.js';
import { go, type Place, to } from '../routes.js';
import type { AttemptStatus } from '../types.js';
import { ChangesView } from '../changes/changes-view.js';
import { QuestionsOf } from '../inbox/questions.js';
import { ConversationView } from './conversation-view.js';
import { FollowUpBox } from './follow-up-box.js';
import { RawLog } from './raw-log.js';
import { StopButtons } from './stop-buttons.js';
import { DeliveryView } from './delivery-view.js';

/** Whether a change is one of the attempt: its own, or of an approval that it asks for. */
export const concerns = (attempt_id: string) => (event: BoardEvent) =>
  event.subject === attempt_id || event.data.attempt_id === attempt_id;

export function useAttempt(attempt_id: string) {
  const params = { path: { attempt_id } };
  return useResource<AttemptStatus>(
    attempt_id,
    () => must(api.GET('/api/attempts/{attempt_id}', { params })),
    concerns(attempt_id),
  );
}

type Tab = 'conversation' | 'raw' | 'changes' | 'delivery';

export function AttemptPage({ place }: { place: Place }) {
  const attempt = useAttempt(place.attempt);
  const task_id = attempt.data?.task_id ?? '';
  const task = useResource(task_id, async () =>
    task_id ? must(api.GET('/api/tasks/{task_id}', { params: { path: { task_id } } })) : null,
  );
  const [tab, setTab] = useState<Tab>(
    place.view === 'changes' ? 'changes' : location.hash.startsWith('#L') ? 'raw' : 'conversation',
  );
  const project = task.data?.project_id ?? place.project;
  useTitle(task.data?.title ?? 'Attempt');
  useEffect(
    () => setTab(place.view === 'changes' ? 'changes' : (now) => (now === 'changes' ? 'conversation' : now)),
    [place.view],
  );

  const choose = (next: Tab) => {
    setTab(next);
    go(next === 'changes' ? to.changes(project, place.attempt) : to.attempt(project, place.attempt));
  };
  if (attempt.error && !attempt.data) return <NoAttempt error={attempt.error} />;
  if (!attempt.data) return <Loading />;
  const status = attempt.data;
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        {project && <a href={to.board(project)}>Board</a>}
        {project && task_id && <a href={to.task(project, task_id)}>Task</a>}
      </nav>
      <header class="page-head">
        <h1>{task.data?.title ?? 'Attempt'}</h1>
        <Facts status={status} />
      </header>
      <Refusal error={attempt.error} />
      {status.failure_summary && <Failure status={status} />}
      <QuestionsOf attempt_id={place.attempt} />
      <Tabs
        label="Attempt"
        chosen={tab}
        choose={choose}
        tabs={[
          ['conversation', 'Conversation'],
          ['raw', 'Raw log'],
          ['changes', 'Changes'],
          ['delivery', 'Delivery'],
        ]}
      >
        {tab === 'conversation' && <ConversationView attempt_id={place.attempt} />}
        {tab === 'raw' && <RawLog attempt_id={place.attempt} latest={status.latest_execution_process_id} />}
        {tab === 'changes' && <ChangesView attempt_id={place.attempt} />}
        {tab === 'delivery' && <DeliveryView attempt_id={place.attempt} />}
      </Tabs>
      <div class="dock">
        <FollowUpBox status={status} sent={attempt.reload} />
        <StopButtons status={status} stopped={attempt.reload} />
      </div>
    </>
  );
}

function Facts({ status }: { status: AttemptStatus }) {
  return (
    <p class="facts">
      <StateBadge state={status.state} />
      {status.is_stopping && <span class="badge failed">Stopping</span>}
      {status.run_reason && status.state === 'running' && <span>{RUNS[status.run_reason]}</span>}
      {status.latest_session_executor && <span>{status.latest_session_executor}</span>}
      <code>{status.workspace_branch}</code>
      <span>
        started <Time at={status.created_at} />
      </span>
    </p>
  );
}

const RUNS = { setupscript: 'Setup script', codingagent: 'Agent', cleanupscript: 'Cleanup script' };

const Failure = ({ status }: { status: AttemptStatus }) => (
  <div class="notice bad">
    <p>
      <strong>The run failed.</strong> {status.failure_summary}
    </p>
  </div>
);

const NoAttempt = ({ error }: { error: Parameters<typeof Refusal>[0]['error'] }) => (
  <>
    <h1>Attempt</h1>
    <Refusal error={error} />
  </>
);
