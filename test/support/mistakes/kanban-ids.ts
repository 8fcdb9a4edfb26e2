import { nowhere, type Row, wrong } from './world.js';

/** An id of another kind, a name for an id, none at all. */
export const kanbanIds: Row[] = [
  ['an attempt as task', (w) => wrong('get_task', { task_id: w.attempt_id }, { task_id: w.task_id })],
  ['a session as task', (w) => wrong('get_task', { task_id: w.session_id }, { task_id: w.task_id })],
  ['an execution as task', (w) => wrong('get_task', { task_id: w.execution_id }, { task_id: w.task_id })],
  ['a project as task', (w) => wrong('get_task', { task_id: w.project_id }, { task_id: w.task_id })],
  ['a title as task', (w) => wrong('get_task', { task_id: 'Say hello' }, { task_id: w.task_id })],
  ['id for task_id', (w) => wrong('get_task', { id: w.task_id }, { task_id: w.task_id })],
  ['taskId for task_id', (w) => wrong('get_task', { taskId: w.task_id }, { task_id: w.task_id })],
  ['no task', (w) => wrong('get_task', {}, { task_id: w.task_id })],
  ['the beginning of a task id', (w) => wrong('get_task', { task_id: w.task_id.slice(0, 8) }, { task_id: w.task_id })],
  ['a padded id', (w) => wrong('get_task', { task_id: ` ${w.task_id}\n` })],
  ['an id in capitals', (w) => wrong('get_task', { task_id: w.task_id.toUpperCase() })],
  ['an id in braces', (w) => wrong('get_task', { task_id: `{${w.task_id}}` })],
  ['an unknown task', (w) => wrong('get_task', { task_id: nowhere }, { task_id: w.task_id })],
  ['attempts of an attempt', (w) => wrong('list_task_attempts', { task_id: w.attempt_id }, { task_id: w.task_id })],
  ['an attempt to delete', async (w) => deletion(await w.board.endedAttempt(w.project_id))],
  ['a name as project', () => wrong('list_tasks', { project_id: 'Payments' })],
  ['a name in lower case as project', () => wrong('list_repos', { project_id: 'payments ' })],
  ['a name as project of a new task', () => wrong('create_task', { project_id: 'Payments', title: 'My own' })],
  ['a task as project', (w) => wrong('list_tasks', { project_id: w.task_id }, { project_id: w.project_id })],
  ['a repository as project', (w) => wrong('list_repos', { project_id: w.repo_id }, { project_id: w.project_id })],
  ['an attempt as project', (w) => wrong('list_tasks', { project_id: w.attempt_id }, { project_id: w.project_id })],
  ['an unknown project', (w) => wrong('list_tasks', { project_id: nowhere }, { project_id: w.project_id })],
  ['an unknown name as project', (w) => wrong('list_tasks', { project_id: 'Paiments' }, { project_id: w.project_id })],
  ['an empty project', (w) => wrong('list_tasks', { project_id: '' }, { project_id: w.project_id })],
  ['no project', (w) => wrong('list_repos', {}, { project_id: w.project_id })],
  ['project for project_id', (w) => wrong('list_tasks', { project: 'Payments' }, { project_id: w.project_id })],
  ['a session as attempt', (w) => attempt(w, 'get_attempt_status', w.session_id)],
  ['an execution as attempt', (w) => attempt(w, 'get_attempt_status', w.execution_id)],
  ['a task as attempt', (w) => attempt(w, 'get_attempt_status', w.task_id)],
  ['a branch as attempt', (w) => attempt(w, 'get_attempt_status', w.ended.workspace_branch as string)],
  ['the beginning of an attempt', (w) => attempt(w, 'get_attempt_status', w.attempt_id.slice(0, 13))],
  ['an unknown attempt', (w) => attempt(w, 'get_attempt_status', nowhere)],
  ['no attempt', (w) => wrong('get_attempt_status', {}, { attempt_id: w.attempt_id })],
  ['logs of a task', (w) => attempt(w, 'tail_attempt_logs', w.task_id)],
  ['logs of a session', (w) => attempt(w, 'tail_attempt_logs', w.session_id)],
  ['changes of a branch', (w) => attempt(w, 'get_attempt_changes', w.ended.workspace_branch as string)],
  ['changes of a task', (w) => attempt(w, 'get_attempt_changes', w.task_id)],
  ['the delivery of a session', (w) => attempt(w, 'get_attempt_delivery', w.session_id)],
  ['the delivery of a project', (w) => attempt(w, 'get_attempt_delivery', w.project_id)],
  ['a merge of a session', (w) => landed(w)],
  ['a stop of a session', (w) => attempt(w, 'stop_attempt', w.session_id)],
  ['a stop of a task', (w) => attempt(w, 'stop_attempt', w.task_id)],
  ['one attempt to wait for', (w) => wrong('wait_for_attempts', { attempt_ids: w.attempt_id })],
  [
    'attempt_id to wait for',
    (w) => wrong('wait_for_attempts', { attempt_id: w.attempt_id }, { attempt_ids: [w.attempt_id] }),
  ],
  [
    'a session to wait for',
    (w) => wrong('wait_for_attempts', { attempt_ids: [w.session_id] }, { attempt_ids: [w.attempt_id] }),
  ],
  ['a list of ids as text', (w) => wrong('wait_for_attempts', { attempt_ids: JSON.stringify([w.attempt_id]) })],
  ['an attempt as session', (w) => session(w, { session_id: w.attempt_id })],
  ['an execution as session', (w) => session(w, { session_id: w.execution_id })],
  ['a task as session', (w) => session(w, { session_id: w.task_id })],
  ['no session', (w) => session(w, {})],
  ['two targets', (w) => session(w, { session_id: w.session_id, attempt_id: w.attempt_id })],
  ['a name as repository', async (w) => start(await w.task(), { repos: [{ repo_id: 'web' }] })],
  ['a name in capitals as repository', async (w) => start(await w.task(), { repos: [{ repo_id: 'WEB' }] })],
  ['names as repositories', async (w) => start(await w.task(), { repos: ['web'] })],
  ['one repository', async (w) => start(await w.task(), { repos: { repo_id: w.repo_id } })],
  ['repositories as text', async (w) => start(await w.task(), { repos: JSON.stringify([{ repo_id: w.repo_id }]) })],
  ['a project as repository', async (w) => repos(await w.task(), w.project_id, w.repo_id)],
  ['an unknown repository', async (w) => repos(await w.task(), nowhere, w.repo_id)],
  ['an unknown name as repository', async (w) => repos(await w.task(), 'wob', w.repo_id)],
  ['repo_id for repos', async (w) => start(await w.task(), { repo_id: w.repo_id }, {})],
  ['a name among repo_ids', (w) => wrong('merge_attempt', merge(w, ['web']))],
  ['a name as repo_ids', (w) => wrong('merge_attempt', merge(w, 'web'))],
  ['a name as repo_id', (w) => wrong('get_attempt_delivery', { attempt_id: w.attempt_id, repo_id: 'web' })],
];

type World = Parameters<Row[1]>[0];
type Ids = Record<string, unknown>;

const attempt = (w: World, tool: string, id: string) => wrong(tool, { attempt_id: id }, { attempt_id: w.attempt_id });
const session = (w: World, target: Ids) => wrong('tail_session_messages', target, { attempt_id: w.attempt_id });
const merge = ({ attempt_id }: World, repo_ids: unknown) => ({ attempt_id, dry_run: true, repo_ids });
const deletion = ({ attempt_id, task_id }: Ids) => wrong('delete_task', { task_id: attempt_id }, { task_id });
const landed = ({ attempt_id, session_id }: World) =>
  wrong('merge_attempt', { attempt_id: session_id, dry_run: true }, { attempt_id, dry_run: true });
const start = (task_id: string, more: Ids, right: Ids = more) => {
  const fixed = { task_id, executor: 'SHELL', prompt: 'echo done' };
  return wrong('start_task_attempt', { ...fixed, ...more }, { ...fixed, ...right });
};
const repos = (task_id: string, given: string, repo_id: string) =>
  start(task_id, { repos: [{ repo_id: given }] }, { repos: [{ repo_id }] });
