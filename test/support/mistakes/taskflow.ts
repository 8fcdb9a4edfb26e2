import { instead, nowhere, type Row, type World, wrong } from './world.js';

/** Mistakes of TaskFlow's users. */
export const taskflowMistakes: Row[] = [
  ['a name as project', (w) => list(w, { project_id: 'Payments' })],
  ['a task as project', async (w) => list(w, { project_id: await w.task() }, of(w))],
  ['an unknown project', (w) => list(w, { project_id: nowhere }, of(w))],
  ['no project', (w) => list(w, {}, of(w))],
  ['done for completed', (w) => list(w, { ...of(w), status: 'done' })],
  ['todo for pending', (w) => list(w, { ...of(w), status: 'todo' })],
  ['In Progress', (w) => list(w, { ...of(w), status: 'In Progress' })],
  ['the stage of Colibri', (w) => list(w, { ...of(w), status: 'VERIFY' })],
  ['ALL', (w) => list(w, { ...of(w), status: 'ALL' })],
  ['a status of nothing', (w) => list(w, { ...of(w), status: 'shipped' }, { ...of(w), status: 'completed' })],
  ['a limit as text', (w) => list(w, { ...of(w), limit: '10' })],
  ['no user', (w) => wrong('taskflow_list_tasks', of(w), { ...of(w), user_id: '@ada' })],
  ['userId', (w) => wrong('taskflow_list_tasks', { ...of(w), userId: 'ada' }, { ...of(w), user_id: 'ada' })],
  ['id for task_id', async (w) => ofTask(await w.task(), 'start_task', (id) => ({ id }))],
  ['a title as task', async (w) => ofTask(await w.task('Only once'), 'start_task', () => ({ task_id: 'only once' }))],
  [
    'an attempt as task',
    (w) => assign(w.task_id, { task_id: w.attempt_id, assignee_handle: '@ada' }, { assignee_handle: '@ada' }),
  ],
  ['a project as task', async (w) => ofTask(await w.task(), 'start_task', () => ({ task_id: w.project_id }))],
  ['an unknown task', async (w) => ofTask(await w.task(), 'start_task', () => ({ task_id: nowhere }))],
  ['no task', async (w) => ofTask(await w.task(), 'start_task', () => ({}))],
  ['progress before the start', async (w) => progress(await w.flow(), { percent: 40 })],
  ['progress after the end', async (w) => late(await w.flow('start_task', 'complete_task'), of(w))],
  ['progress under review', async (w) => progress(await w.flow('start_task', 'request_review'), { percent: 40 })],
  ['percent as text', async (w) => progress(await w.flow('start_task'), { percent: '40' })],
  ['progress for percent', async (w) => progress(await w.flow('start_task'), { progress: 40 }, { percent: 40 })],
  ['percent above 100', async (w) => progress(await w.flow('start_task'), { percent: 140 }, { percent: 100 })],
  ['no percent', async (w) => progress(await w.flow('start_task'), {}, { percent: 40 })],
  ['a review before the start', async (w) => move(await w.flow(), 'request_review')],
  ['a second start', async (w) => already(await w.flow('start_task'), 'start_task', of(w))],
  ['a second completion', async (w) => already(await w.flow('complete_task'), 'complete_task', of(w))],
  ['a second review', async (w) => already(await w.flow('start_task', 'request_review'), 'request_review', of(w))],
  ['a start of what is done', async (w) => move(await w.flow('complete_task'), 'start_task')],
  ['a task of somebody else', async (w) => claimed(await w.flow('start_task'), of(w))],
  ['an assignment to nobody', async (w) => assign(await w.task(), {}, { assignee_handle: '@ada' })],
  [
    'an assignment to two',
    async (w) => assign(await w.task(), { assignee_handle: '@ada', assignee_id: nowhere }, { assignee_handle: '@ada' }),
  ],
  [
    'an unknown assignee',
    async (w) => assign(await w.task(), { assignee_handle: '@nobody' }, { assignee_handle: '@ada' }),
  ],
  ['a handle without its sign', async (w) => assign(await w.task(), { assignee_handle: 'Ada' })],
  [
    'assignee for assignee_handle',
    async (w) => assign(await w.task(), { assignee: '@ada' }, { assignee_handle: '@ada' }),
  ],
  [
    'nothing to update',
    async (w) => ofTask(await w.task(), 'update_task', (task_id) => ({ task_id }), { title: 'My words' }),
  ],
  ['no title', (w) => add(w, {}, { title: 'My words' })],
  ['name for title', (w) => add(w, { name: 'My words' }, { title: 'My words' })],
  ['a title that is too long', (w) => add(w, { title: 'long '.repeat(50) }, { title: 'My words' })],
  [
    'a new task in no project',
    (w) =>
      wrong(
        'taskflow_add_task',
        { user_id: 'ada', title: 'My words' },
        { ...of(w), user_id: 'ada', title: 'My words' },
      ),
  ],
  [
    'list_tasks',
    (w) => instead('list_tasks', { user_id: 'ada', ...of(w) }, 'taskflow_list_tasks', { user_id: 'ada', ...of(w) }),
  ],
  ['taskflow_claim_task', async (w) => unknown('taskflow_claim_task', 'taskflow_start_task', await w.task())],
  ['taskflow_complete', async (w) => unknown('taskflow_complete', 'taskflow_complete_task', await w.task())],
];

type Values = Record<string, unknown>;
const ada = { user_id: 'ada' };
const of = ({ project_id }: World) => ({ project_id });
const given = (tool: string, known: Values, more: Values, right: Values = more) =>
  wrong(`taskflow_${tool}`, { ...ada, ...known, ...more }, { ...ada, ...known, ...right });
const list = (_: World, more: Values, right?: Values) => given('list_tasks', {}, more, right);
const add = (w: World, more: Values, right?: Values) => given('add_task', of(w), more, right);
const progress = (task_id: string, more: Values, right?: Values) => given('update_progress', { task_id }, more, right);
const assign = (task_id: string, more: Values, right?: Values) => given('assign_task', { task_id }, more, right);
const move = (task_id: string, tool: string) => given(tool, { task_id }, {});
const ofTask = (task_id: string, tool: string, target: (task_id: string) => Values, more: Values = {}) =>
  given(tool, {}, target(task_id), { task_id, ...more });
/** Nothing is left to do but to look. */
const already = (task_id: string, tool: string, project: Values) =>
  instead(`taskflow_${tool}`, { ...ada, task_id }, 'taskflow_list_tasks', { ...ada, ...project });
const late = (task_id: string, project: Values) =>
  instead('taskflow_update_progress', { ...ada, task_id, percent: 40 }, 'taskflow_list_tasks', { ...ada, ...project });
const claimed = (task_id: string, project: Values) =>
  instead('taskflow_start_task', { user_id: 'grace', task_id }, 'taskflow_list_tasks', { ...ada, ...project });
const unknown = (tool: string, goal: string, task_id: string) =>
  instead(tool, { ...ada, task_id }, goal, { ...ada, task_id });
