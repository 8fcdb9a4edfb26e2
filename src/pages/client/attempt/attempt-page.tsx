import { useEffect } from 'preact/hooks';
import { api, type ApiError, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { InlineText } from '../parts/inline-text.js';
import type { Me } from '../frame/session.js';
import { lazy } from '../parts/lazy.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Tabs } from '../parts/tabs.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { type AttemptPart, go, type Place, to } from '../routes.js';
import type { AttemptStatus } from '../types.js';
import { ChangesView } from '../changes/changes-view.js';
import { DeliveryView } from '../delivery/delivery-view.js';
import { QuestionsOf } from '../inbox/questions.js';
import { WatchTask } from '../inbox/watch.js';
import { ConversationView } from './conversation-view.js';
import { AttemptNetwork } from './network.js';
import { FollowUpBox } from './follow-up-box.js';
import { NextAction } from './next-action.js';
import { NextSteps } from './next-steps.js';
import { RawLog } from './raw-log.js';
import { Runs, useRuns } from './runs.js';
import { Standing } from './standing.js';
import { StopButtons } from './stop-buttons.js';

const ChecksView = lazy(() => import('../checks/checks-view.js').then((file) => file.ChecksView));

function useAttempt(attempt_id: string) {
  const params = { path: { attempt_id } };
  return useResource<AttemptStatus>(
    attempt_id,
    () => must(api.GET('/api/attempts/{attempt_id}', { params })),
    concernsAttempt(attempt_id),
  );
}

const TABS = [
  ['attempt', 'Conversation'],
  ['log', 'Raw log'],
  ['changes', 'Changes'],
  ['delivery', 'Delivery'],
  ['checks', 'Checks'],
] as const;

export function AttemptPage({ place, me }: { place: Place; me: Me }) {
  const attempt = useAttempt(place.attempt);
  useTitle('Attempt');
  if (attempt.data)
    return <Shown {...{ place, me }} status={attempt.data} error={attempt.error} reload={attempt.reload} />;
  if (!attempt.error) return <Loading />;
  return (
    <>
      <h1>Attempt</h1>
      <Refusal error={attempt.error} />
      <p>
        <a href={place.project ? to.board(place.project) : to.home()}>To the board</a>
      </p>
    </>
  );
}

interface ShownProps {
  place: Place;
  me: Me;
  status: AttemptStatus;
  error: ApiError | null;
  reload: () => void;
}

function Shown({ place, me, status, error, reload }: ShownProps) {
  const params = { path: { task_id: status.task_id } };
  const task = useResource(status.task_id, () => must(api.GET('/api/tasks/{task_id}', { params })));
  const part = place.view as AttemptPart;
  const runs = useRuns(place.attempt);
  const project = task.data?.project_id ?? place.project;
  const title = task.data?.title ?? 'Attempt';
  useTitle(title);
  useOldLineLink(place, project);
  return (
    <div class="attempt">
      <nav class="crumbs" aria-label="Breadcrumb">
        {project && <a href={to.board(project)}>Board</a>}
        {project && <a href={to.task(project, status.task_id)}>Task</a>}
      </nav>
      <header class="page-head">
        <div class="lead">
          <h1>
            <InlineText text={title} />
          </h1>
          {status.state === 'running' && <WatchTask task_id={status.task_id} />}
          <NextSteps status={status} project_id={project} done={reload} />
          <NextAction status={status} project_id={project} shown={part} />
        </div>
        <Standing status={status} runs={runs} />
      </header>
      <Refusal error={error} />
      <QuestionsOf attempt_id={place.attempt} />
      <div class="asides">
        {runs.length > 0 && <Runs runs={runs} />}
        <AttemptNetwork attempt_id={place.attempt} project_id={project} />
      </div>
      <Tabs label="Attempt" chosen={part} choose={(next) => go(to.part(project, place.attempt, next))} tabs={TABS}>
        <Panel {...{ part, status, me }} project_id={project} />
      </Tabs>
      <div class="dock">
        <FollowUpBox status={status} sent={reload} />
        <StopButtons status={status} stopped={reload} />
      </div>
    </div>
  );
}

/** Links to lines of the log named the attempt alone, once. */
function useOldLineLink({ view, attempt }: Place, project: string): void {
  useEffect(() => {
    const isLine = view === 'attempt' && location.hash.startsWith('#L');
    if (isLine) go(`${to.part(project, attempt, 'log')}${location.hash}`, { replace: true });
  }, [view]);
}

interface PanelProps {
  part: AttemptPart;
  status: AttemptStatus;
  project_id: string;
  me: Me;
}

function Panel({ part, status, project_id, me }: PanelProps) {
  const { attempt_id, latest_execution_process_id } = status;
  switch (part) {
    case 'attempt':
      return <ConversationView status={status} project_id={project_id} />;
    case 'log':
      return <RawLog attempt_id={attempt_id} latest={latest_execution_process_id} />;
    case 'changes':
      return <ChangesView attempt_id={attempt_id} project_id={project_id} />;
    case 'checks':
      return <ChecksView status={status} project_id={project_id} />;
    case 'delivery':
      return <DeliveryView {...{ status, project_id, me }} />;
  }
}
