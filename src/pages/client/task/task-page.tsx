import { useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { StartForm } from '../board/start-form.js';
import { nameOf } from '../board/columns.js';
import type { BoardEvent } from '../feed.js';
import type { Me } from '../frame/session.js';
import { WatchTask } from '../inbox/watch.js';
import { StateBadge } from '../parts/badge.js';
import { Avatar } from '../parts/avatar.js';
import { InlineText } from '../parts/inline-text.js';
import { Markdown } from '../parts/markdown.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More, usePages } from '../parts/pages.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { costOf, tokensOf } from '../parts/usage.js';
import { useProject } from '../projects.js';
import { useResource } from '../resource.js';
import { mayChange } from '../rights.js';
import { type Place, to } from '../routes.js';
import type { Task } from '../types.js';
import { ArchiveTask } from './archive.js';
import { DeleteTask, RestoreTask } from './deletion.js';
import { EditTask } from './edit-task.js';
import { Properties } from './properties.js';
import { History, Thoughts } from './records.js';
import { Subtasks } from './subtasks.js';

const concerns = (task_id: string) => (event: BoardEvent) =>
  event.subject === task_id || event.data.task_id === task_id;

export function TaskPage({ place, me }: { place: Place; me: Me }) {
  const params = { path: { task_id: place.task } };
  const task = useResource<Task>(
    `task:${place.task}`,
    () => must(api.GET('/api/tasks/{task_id}', { params })),
    concerns(place.task),
  );
  useTitle(task.data?.title ?? 'Task');
  const project = task.data?.project_id ?? place.project;
  if (task.data) return <Shown task={task.data} reload={task.reload} {...{ project, me }} />;
  if (!task.error) return <Loading />;
  return (
    <>
      <h1>Task</h1>
      <Refusal error={task.error} />
      {task.error.code === 'task_not_found' && <RestoreTask task_id={place.task} restored={task.reload} />}
      <p>
        <a href={place.project ? to.board(place.project) : to.home()}>To the board</a>
      </p>
    </>
  );
}

interface ShownProps {
  task: Task;
  project: string;
  me: Me;
  reload: () => void;
}

function Shown({ task, project, me, reload }: ShownProps) {
  const { task_id, title, description, parent_task_id } = task;
  const [isEdited, setEdited] = useState(false);
  const role = useProject(project).data?.role ?? 'viewer';
  const mayEdit = mayChange(me, role, 'member');
  return (
    <div class="task">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={to.board(project)}>Board</a>
        {parent_task_id && <a href={to.task(project, parent_task_id)}>Parent task</a>}
      </nav>
      <header class="page-head">
        <div class="lead">
          <h1>
            <InlineText text={title} />
          </h1>
          <button type="button" onClick={() => setEdited(true)}>
            Edit
          </button>
          <WatchTask task_id={task_id} />
          <ArchiveTask task={task} reload={reload} />
          <DeleteTask task={task} project_id={project} />
        </div>
        <Facts task={task} />
      </header>
      {isEdited && <EditTask task={task} close={() => setEdited(false)} saved={reload} />}
      {mayEdit && <Properties task={task} project_id={project} changed={reload} />}
      <div>
        {description ? <Markdown text={description} /> : <p class="quiet">No description.</p>}
        <Subtasks task_id={task_id} project_id={project} mayAdd={mayEdit} />
        <h2>Attempts</h2>
        <StartForm task_id={task_id} project_id={project} />
        <Attempts task_id={task_id} project_id={project} />
        <Thoughts task_id={task_id} />
        <History task_id={task_id} />
      </div>
    </div>
  );
}

const STAGES: Record<Task['stage'], string> = {
  INIT: 'not begun',
  GATHER: 'gathering',
  ANALYZE: 'analysing',
  PLAN: 'planning',
  APPLY: 'in work',
  VERIFY: 'to be verified',
  DONE: 'done',
  CANCELLED: 'cancelled',
};

function Facts({ task }: { task: Task }) {
  const { status, stage, progress_percent, priority, assignee, tags, updated_at, archived_at, usage } = task;
  return (
    <p class="facts">
      <span class="badge idle">{nameOf(status)}</span>
      {archived_at && <span class="badge">Archived</span>}
      <span>{STAGES[stage]}</span>
      {progress_percent > 0 && <span>{progress_percent} %</span>}
      {priority && <span>{priority}</span>}
      {assignee && (
        <span class="fact">
          <Avatar name={assignee} /> {assignee}
        </span>
      )}
      {tags.map((tag) => (
        <span class="tag" key={tag}>
          {tag}
        </span>
      ))}
      <span>
        changed <Time at={updated_at} />
      </span>
      {usage && usage.output_tokens !== null && <span>{tokensOf(usage)} tokens</span>}
      {usage && usage.cost_usd !== null && <span>{costOf(usage)}</span>}
    </p>
  );
}

function Attempts({ task_id, project_id }: { task_id: string; project_id: string }) {
  const read = async (cursor?: number) => {
    const params = { path: { task_id }, query: { cursor } };
    const { attempts, next_cursor } = await must(api.GET('/api/tasks/{task_id}/attempts', { params }));
    return { rows: attempts, next_cursor };
  };
  const { rows, error, more } = usePages(`attempts:${task_id}`, read, concerns(task_id));
  if (!rows) return error ? <Refusal error={error} /> : <Loading />;
  if (rows.length === 0) return <p class="empty">Nobody has tried it yet. Choose an executor, and start.</p>;
  return (
    <>
      <ul class="plain-list">
        {rows.map((attempt) => (
          <li class="card row" key={attempt.attempt_id}>
            <a href={to.attempt(project_id, attempt.attempt_id)}>
              <code>{attempt.workspace_branch}</code>
            </a>
            <StateBadge state={attempt.state} />
            <span class="quiet">
              {attempt.latest_session_executor} <Time at={attempt.created_at} />
            </span>
          </li>
        ))}
      </ul>
      <More more={more} />
    </>
  );
}
