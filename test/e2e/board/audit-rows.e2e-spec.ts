import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dialects } from '../../support/dialects.js';
import type { Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/rest-board.js';

interface Ground {
  project_id: string;
  task_id: string;
  place: string;
}
type Operation = (ground: Ground) => Promise<unknown>;
type Row = [string, string[], Operation, Operation?];

const user_id = 'ada';
let board: Dialects;
beforeAll(async () => {
  board = await Dialects.start();
  await board.worker('@claude');
  await board.taskflow.call('taskflow_list_projects', { user_id }); // from here on she is known
});
afterAll(() => board.stop());

const rest =
  (method: string, path: (ground: Ground) => string, body?: object, user?: string): Operation =>
  (ground) =>
    (user ? board.as(user) : board.rest).send(method, path(ground), body);
const task = (method: string, end: string, body?: object, user?: string): Operation =>
  rest(method, ({ place }) => `${place}${end}`, body, user);
const project = (method: string, end: string, body?: object, user?: string): Operation =>
  rest(method, ({ project_id }) => `/api/projects/${project_id}${end}`, body, user);
const kanban =
  (name: string, args: object = {}): Operation =>
  ({ task_id }) =>
    board.kanban.sdk.callTool({ name, arguments: { task_id, ...args } });
const taskflow =
  (name: string, args: object = {}): Operation =>
  ({ task_id }) =>
    board.taskflow.sdk.callTool({ name: `taskflow_${name}`, arguments: { user_id, task_id, ...args } });
const inProject =
  (name: string, args: object = {}): Operation =>
  ({ project_id }) =>
    board.taskflow.sdk.callTool({ name: `taskflow_${name}`, arguments: { user_id, project_id, ...args } });
const colibri =
  (name: string, args: (ground: Ground) => object = () => ({})): Operation =>
  (ground) =>
    board.colibri.sdk.callTool({ name, arguments: args(ground) as Json });
const patch = (fields: object): Operation => colibri('task_update', ({ task_id }) => ({ id: task_id, patch: fields }));
/** One after the other. */
const all =
  (...operations: Operation[]): Operation =>
  async (ground) => {
    const answers: unknown[] = [];
    for (const operation of operations) answers.push(await operation(ground));
    return answers;
  };
const review = all(taskflow('start_task'), taskflow('request_review'));

/** What is done, the facts that are written down, how it is done, and what went before. */
const changes: Row[] = [
  ['REST: a project is made', ['created'], () => board.rest.does('POST', '/api/projects', { name: 'New' })],
  [
    'REST: a project is made by a user',
    ['created', 'member_added'],
    () => board.as(user_id).does('POST', '/api/projects', { name: 'New' }),
  ],
  ['REST: a project is renamed', ['updated'], project('PUT', '', { name: 'Other', description: 'Both' })],
  [
    'REST: a repository is added',
    ['repo_added'],
    ({ project_id }) =>
      board.rest.does('POST', `/api/projects/${project_id}/repos`, {
        path: board.server.repositories.repository(`r-${project_id}`).dir,
      }),
  ],
  ['REST: a worker is added', ['created'], ({ task_id }) => board.worker(`@w-${task_id.slice(-12)}`)],
  ['REST: a member is added', ['member_added'], project('POST', '/members', { handle: '@claude' })],
  [
    'REST: a member nobody has met is added',
    ['created', 'member_added'],
    ({ project_id }) =>
      board.rest.does('POST', `/api/projects/${project_id}/members`, { user_id: `new-${project_id}` }),
  ],
  [
    'REST: a user nobody has met calls',
    ['created', 'created', 'member_added'],
    ({ task_id }) => board.as(`met-${task_id}`).does('GET', '/api/projects'),
  ],
  ['REST: a task is made', ['created'], project('POST', '/tasks', { title: 'x' })],
  ['REST: title and description of a task', ['updated'], task('PUT', '', { title: 'New', description: 'New' })],
  [
    'REST: priority, tags and due date of a task',
    ['updated'],
    task('PUT', '', { priority: 'high', tags: ['a'], due_date: '2027-01-31T12:00:00Z' }),
  ],
  ['REST: title and stage of a task', ['status_changed', 'updated'], task('PUT', '', { title: 'New', stage: 'PLAN' })],
  ['REST: a status without a user', ['status_changed'], task('PATCH', '/status', { status: 'in_progress' })],
  ['REST: a claim', ['assigned', 'status_changed'], task('PATCH', '/status', { status: 'in_progress' }, user_id)],
  ['REST: blocked', ['status_changed'], task('PATCH', '/status', { status: 'blocked' })],
  ['REST: assigned', ['assigned'], task('PATCH', '/assign', { assignee_handle: '@claude' })],
  [
    'REST: progress',
    ['progress_updated'],
    task('PATCH', '/progress', { percent: 5, note: 'On it.' }),
    taskflow('start_task'),
  ],
  ['REST: completed, with progress and time', ['status_changed'], task('PATCH', '/status', { status: 'completed' })],
  ['REST: a subtask', ['created'], task('POST', '/subtasks', { title: 'Part' })],
  ['REST: approved', ['approved'], task('POST', '/approve'), review],
  ['REST: rejected', ['rejected'], task('POST', '/reject', { reason: 'Not yet.' }), review],
  [
    'REST: a thought record',
    ['thought_recorded'],
    task('POST', '/thought-records', { type: 'plan', agent_id: 'me', content: 'x' }),
  ],
  ['REST: a task is deleted', ['deleted'], task('DELETE', '')],
  [
    'REST: a project is deleted with its two tasks',
    ['deleted', 'deleted', 'deleted'],
    project('DELETE', ''),
    project('POST', '/tasks', { title: 'second' }),
  ],
  ['kanban: create_task', ['created'], ({ project_id }) => board.task(project_id)],
  ['kanban: update_task', ['status_changed', 'updated'], kanban('update_task', { title: 'New', status: 'done' })],
  ['kanban: delete_task', ['deleted'], kanban('delete_task')],
  ['TaskFlow: add', ['created'], inProject('add_task', { title: 'x' })],
  [
    'TaskFlow: a claim writes exactly assigned and status_changed',
    ['assigned', 'status_changed'],
    taskflow('start_task'),
  ],
  ['TaskFlow: progress', ['progress_updated'], taskflow('update_progress', { percent: 5 }), taskflow('start_task')],
  ['TaskFlow: review', ['status_changed'], taskflow('request_review'), taskflow('start_task')],
  ['TaskFlow: complete', ['status_changed'], taskflow('complete_task')],
  ['TaskFlow: update', ['updated'], taskflow('update_task', { title: 'New', description: 'New' })],
  ['TaskFlow: assign', ['assigned'], taskflow('assign_task', { assignee_handle: '@claude' })],
  ['TaskFlow: delete', ['deleted'], taskflow('delete_task')],
  [
    'Colibri: create, even done',
    ['created'],
    colibri('task_create', ({ project_id }) => ({
      title: 'x',
      project_id,
      status: 'DONE',
      assignee: '@claude',
      priority: 'high',
    })),
  ],
  ['Colibri: a stage', ['status_changed'], patch({ status: 'PLAN' })],
  ['Colibri: a stage of the same status', ['status_changed'], patch({ status: 'APPLY' }), patch({ status: 'PLAN' })],
  [
    'Colibri: three facts at once',
    ['assigned', 'status_changed', 'updated'],
    patch({ status: 'VERIFY', assignee: 'the night shift', title: 'New', priority: 'P1', description: 'New' }),
  ],
  [
    'Colibri: a thought record',
    ['thought_recorded'],
    colibri('thought_record', ({ task_id }) => ({ task_id, type: 'plan', agent_id: 'me', content: 'x' })),
  ],
];

const nothing: Row[] = [
  ['a project to what it is', [], project('PUT', '', { name: 'Ground' })],
  ['a task to what it is', [], task('PUT', '', { title: 'Add a health check', status: 'todo', stage: 'INIT' })],
  [
    'the assignee to the same',
    [],
    task('PATCH', '/assign', { assignee_handle: '@claude' }),
    task('PATCH', '/assign', { assignee_handle: '@claude' }),
  ],
  ['progress to the same', [], task('PATCH', '/progress', { percent: 0 }), taskflow('start_task')],
  ['a coarse status that holds', [], kanban('update_task', { status: 'inprogress' }), patch({ status: 'PLAN' })],
  ['nothing at all', [], patch({})],
  [
    'an assignee in the same free words',
    [],
    patch({ assignee: 'night shift', priority: null }),
    patch({ assignee: 'night shift' }),
  ],
  [
    'by a retry with the same request_id',
    [],
    inProject('add_task', { title: 'x', request_id: 'once' }),
    inProject('add_task', { title: 'x', request_id: 'once' }),
  ],
];

const refusals: Row[] = [
  ['a task that is not there', [], rest('PUT', () => `/api/tasks/${nowhere}`, { title: 'x' })],
  ['a wrong argument', [], task('PUT', '', { stage: 'nowhere' })],
  ['a wrong move', [], task('PATCH', '/status', { status: 'review' })],
  ['an assignee nobody knows', [], task('PATCH', '/assign', { assignee_handle: '@nobody' })],
  ['progress before the start', [], task('PATCH', '/progress', { percent: 5 })],
  ['a claim that comes too late', [], taskflow('start_task'), task('PATCH', '/assign', { assignee_handle: '@claude' })],
  ['a second deletion', [], kanban('delete_task'), kanban('delete_task')],
  ['a parent with subtasks', [], taskflow('delete_task'), task('POST', '/subtasks', { title: 'Part' })],
  ['DONE without a record, with everything else', [], patch({ status: 'DONE', title: 'New', assignee: '@claude' })],
  ['an unknown project', [], colibri('task_create', () => ({ title: 'x', project_id: 'nowhere' }))],
  ['a taken handle', [], rest('POST', () => '/api/workers', { handle: '@claude', name: 'x', type: 'agent' })],
  [
    'a second membership',
    [],
    project('POST', '/members', { handle: '@claude' }),
    project('POST', '/members', { handle: '@claude' }),
  ],
  [
    'the last owner',
    [],
    async ({ project_id }) =>
      board.rest.send(
        'DELETE',
        `/api/projects/${project_id}/members/${(await board.rest.does('GET', `/api/projects/${project_id}/members`)).members[0].worker_id}`,
      ),
    project('POST', '/members', { handle: '@claude' }),
  ],
];

const reads: Row[] = [
  [
    'REST',
    [],
    all(
      task('GET', ''),
      task('GET', '/audit'),
      task('GET', '/attempts'),
      task('GET', '/thought-records'),
      project('GET', ''),
      project('GET', '/tasks'),
      project('GET', '/audit'),
      project('GET', '/members'),
      rest('GET', () => '/api/workers'),
    ),
  ],
  [
    'kanban',
    [],
    all(
      kanban('get_task'),
      kanban('list_task_attempts'),
      ({ project_id }) => board.kanban.call('list_tasks', { project_id }),
      () => board.kanban.call('list_projects'),
    ),
  ],
  ['TaskFlow', [], all(inProject('list_tasks'), () => board.taskflow.call('taskflow_list_projects', { user_id }))],
  [
    'Colibri',
    [],
    all(
      colibri('task_get', ({ task_id }) => ({ id: task_id })),
      colibri('task_list'),
      colibri('task_next_actions'),
      colibri('thought_record_list'),
      colibri('audit_verify_chain'),
    ),
  ],
];

/** How many of the answers are refusals, whichever surface they come from. */
const refused = (answers: unknown): number =>
  [answers].flat().filter((answer) => {
    const { status, isError, structuredContent } = answer as {
      status?: number;
      isError?: boolean;
      structuredContent?: Json;
    };
    return Number(status) >= 400 || isError === true || structuredContent?.data?.ok === false;
  }).length;

const check =
  (expectedRefusals: number) =>
  async (_: string, expected: string[], operation: Operation, before: Operation = async () => []) => {
    const project_id = await board.project(undefined, 'Ground');
    const task_id = await board.task(project_id);
    const ground = { project_id, task_id, place: `/api/tasks/${task_id}` };
    expect(refused(await before(ground))).toBe(0);
    const [{ last }] = await board.server.query<{ last: string }>('SELECT max(number) AS last FROM audit_log');
    expect(refused(await operation(ground))).toBe(expectedRefusals);
    const rows = await board.server.query<{ action: string }>(
      'SELECT action FROM audit_log WHERE number > $1 ORDER BY number',
      [last],
    );
    expect(rows.map(({ action }) => action)).toEqual(expected);
  };

describe('one row for each changed fact:', () => it.each(changes)('%s', check(0)));
describe('no row for changing', () => it.each(nothing)('%s', check(0)));
describe('no row for the refusal of', () => it.each(refusals)('%s', check(1)));
describe('no row for reading over', () => it.each(reads)('%s', check(0)));
