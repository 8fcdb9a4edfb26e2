import { api, must } from '../api.js';
import { StartForm } from '../board/start-form.js';
import { nameOf } from '../board/columns.js';
import type { BoardEvent } from '../feed.js';
import { StateBadge } from '../parts/badge.js';
import { Markdown } from '../parts/markdown.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { type Place, to } from '../routes.js';
import type { Task } from '../types.js';
import { History, Thoughts } from './records.js';

const concerns = (task_id: string) => (event: BoardEvent) =>
  event.subject === task_id || event.data.task_id === task_id;

export function TaskPage({ place }: { place: Place }) {
  const params = { path: { task_id: place.task } };
  const task = useResource<Task>(
    `task:${place.task}`,
    () => must(api.GET('/api/tasks/{task_id}', { params })),
    concerns(place.task),
  );
  useTitle(task.data?.title ?? 'Task');
  if (!task.data)
    return task.error ? (
      <>
        <h1>Task</h1>
        <Refusal error={task.error} />
      </>
    ) : (
      <Loading />
    );
  const { title, description, project_id, status, stage, priority, assignee, tags, updated_at, progress_percent } =
    task.data;
  const project = project_id ?? place.project;
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={to.board(project)}>Board</a>
        {task.data.parent_task_id && <a href={to.task(project, task.data.parent_task_id)}>Parent task</a>}
      </nav>
      <header class="page-head">
        <h1>{title}</h1>
        <p class="facts">
          <span class="badge idle">{nameOf(status)}</span>
          <span>stage {stage}</span>
          {progress_percent > 0 && <span>{progress_percent} %</span>}
          {priority && <span>{priority}</span>}
          {assignee && <span>{assignee}</span>}
          {tags.map((tag) => (
            <span class="tag" key={tag}>
              {tag}
            </span>
          ))}
          <span>
            changed <Time at={updated_at} />
          </span>
        </p>
      </header>
      {description ? <Markdown text={description} /> : <p class="quiet">No description.</p>}
      <h2>Attempts</h2>
      <StartForm task_id={place.task} project_id={project} />
      <Attempts task_id={place.task} project_id={project} />
      <Thoughts task_id={place.task} />
      <History task_id={place.task} />
    </>
  );
}

function Attempts({ task_id, project_id }: { task_id: string; project_id: string }) {
  const params = { path: { task_id } };
  const { data, error } = useResource(
    `attempts:${task_id}`,
    () => must(api.GET('/api/tasks/{task_id}/attempts', { params })),
    concerns(task_id),
  );
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  return (
    <ul class="plain-list">
      {data.attempts.map((attempt) => (
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
  );
}
