import { useEffect, useState } from 'preact/hooks';
import { api, type ApiError, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Tabs } from '../parts/tabs.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { go, type Place, to } from '../routes.js';
import type { AttemptStatus } from '../types.js';
import { ChangesView } from '../changes/changes-view.js';
import { DeliveryView } from '../delivery/delivery-view.js';
import { QuestionsOf } from '../inbox/questions.js';
import { ConversationView } from './conversation-view.js';
import { AttemptNetwork } from './network.js';
import { FollowUpBox } from './follow-up-box.js';
import { RawLog } from './raw-log.js';
import { useRuns } from './runs.js';
import { Standing } from './standing.js';
import { StopButtons } from './stop-buttons.js';

function useAttempt(attempt_id: string) {
  const params = { path: { attempt_id } };
  return useResource<AttemptStatus>(
    attempt_id,
    () => must(api.GET('/api/attempts/{attempt_id}', { params })),
    concernsAttempt(attempt_id),
  );
}

const TABS = [
  ['conversation', 'Conversation'],
  ['raw', 'Raw log'],
  ['changes', 'Changes'],
  ['delivery', 'Delivery'],
] as const;
type Tab = (typeof TABS)[number][0];

export function AttemptPage({ place }: { place: Place }) {
  const attempt = useAttempt(place.attempt);
  useTitle('Attempt');
  if (attempt.data) return <Shown place={place} status={attempt.data} error={attempt.error} reload={attempt.reload} />;
  if (!attempt.error) return <Loading />;
  return (
    <>
      <h1>Attempt</h1>
      <Refusal error={attempt.error} />
    </>
  );
}

interface ShownProps {
  place: Place;
  status: AttemptStatus;
  error: ApiError | null;
  reload: () => void;
}

function Shown({ place, status, error, reload }: ShownProps) {
  const params = { path: { task_id: status.task_id } };
  const task = useResource(status.task_id, () => must(api.GET('/api/tasks/{task_id}', { params })));
  const [tab, choose] = useTab(place);
  const runs = useRuns(place.attempt);
  const project = task.data?.project_id ?? place.project;
  const title = task.data?.title ?? 'Attempt';
  useTitle(title);
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        {project && <a href={to.board(project)}>Board</a>}
        {project && <a href={to.task(project, status.task_id)}>Task</a>}
      </nav>
      <header class="page-head">
        <h1>{title}</h1>
        <Standing status={status} runs={runs} />
      </header>
      <Refusal error={error} />
      <QuestionsOf attempt_id={place.attempt} />
      <AttemptNetwork attempt_id={place.attempt} project_id={project} />
      <Tabs label="Attempt" chosen={tab} choose={choose} tabs={TABS}>
        <Panel tab={tab} status={status} />
      </Tabs>
      <div class="dock">
        <FollowUpBox status={status} sent={reload} />
        <StopButtons status={status} stopped={reload} />
      </div>
    </>
  );
}

/** The tab in the address, for tabs that can be linked to. */
function useTab(place: Place): [Tab, (tab: Tab) => void] {
  const [tab, setTab] = useState<Tab>(location.hash.startsWith('#L') ? 'raw' : 'conversation');
  const isChanges = place.view === 'changes';
  useEffect(() => {
    setTab((now) => (isChanges ? 'changes' : now === 'changes' ? 'conversation' : now));
  }, [isChanges]);
  const choose = (next: Tab) => {
    setTab(next);
    const { project, attempt } = place;
    go(next === 'changes' ? to.changes(project, attempt) : to.attempt(project, attempt));
  };
  return [tab, choose];
}

function Panel({ tab, status }: { tab: Tab; status: AttemptStatus }) {
  const { attempt_id, latest_execution_process_id } = status;
  switch (tab) {
    case 'conversation':
      return <ConversationView attempt_id={attempt_id} />;
    case 'raw':
      return <RawLog attempt_id={attempt_id} latest={latest_execution_process_id} />;
    case 'changes':
      return <ChangesView attempt_id={attempt_id} />;
    case 'delivery':
      return <DeliveryView status={status} />;
  }
}
