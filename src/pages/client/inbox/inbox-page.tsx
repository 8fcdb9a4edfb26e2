import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';
import type { Project, TaskRow } from '../types.js';
import { Question, useQuestions } from './questions.js';

const PROJECTS = 50;
const NEWEST = 50;

interface Waiting {
  project: Project;
  task: TaskRow;
}

/** Everything that waits for a person: questions of agents, runs that failed, work to review. */
export function InboxPage() {
  useTitle('Inbox');
  const questions = useQuestions();
  const waiting = useResource('waiting', readWaiting, ({ type }) => /\.(attempt|task)\./.test(type));
  return (
    <>
      <h1>Inbox</h1>
      <section>
        <h2>Questions</h2>
        <Refusal error={questions.error} />
        {!questions.data && !questions.error && <Loading />}
        {questions.data?.approvals.length === 0 && <p class="quiet">No agent asks for anything.</p>}
        {questions.data?.approvals.map((approval) => (
          <Question key={approval.approval_id} approval={approval} answered={questions.reload} />
        ))}
      </section>
      <Tasks title="Failed runs" none="No run has failed." rows={waiting.data?.failed} />
      <Tasks title="In review" none="Nothing waits for a review." rows={waiting.data?.reviews} />
      <Refusal error={waiting.error} />
    </>
  );
}

function Tasks({ title, none, rows }: { title: string; none: string; rows?: Waiting[] }) {
  return (
    <section>
      <h2>{title}</h2>
      {rows?.length === 0 && <p class="quiet">{none}</p>}
      <ul class="plain-list">
        {rows?.map(({ project, task }) => (
          <li key={task.task_id} class="card row">
            <a
              href={
                task.latest_attempt_id
                  ? to.attempt(project.project_id, task.latest_attempt_id)
                  : to.task(project.project_id, task.task_id)
              }
            >
              {task.title}
            </a>
            <span class="quiet">
              {project.name} · <Time at={task.updated_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

async function readWaiting(): Promise<{ failed: Waiting[]; reviews: Waiting[] }> {
  const { projects } = await must(api.GET('/api/projects', { params: { query: { limit: PROJECTS } } }));
  const rows = (await Promise.all(projects.map(tasksOf))).flat();
  return {
    failed: rows.filter(({ task }) => task.last_attempt_failed && OPEN.has(task.status)),
    reviews: rows.filter(({ task }) => task.status === 'inreview' && !task.last_attempt_failed),
  };
}

const OPEN = new Set<TaskRow['status']>(['todo', 'inprogress', 'inreview']);

async function tasksOf(project: Project): Promise<Waiting[]> {
  const params = { path: { project_id: project.project_id }, query: { limit: NEWEST } };
  const { tasks } = await must(api.GET('/api/projects/{project_id}/tasks', { params }));
  return tasks.map((task) => ({ project, task }));
}
