import { beforeAll, describe, it } from '@jest/globals';
import { all, type AuditCase, operationsOn, writes } from '../../support/audit-cases.js';
import { Board, nowhere } from '../../support/board-fixture.js';

const user_id = 'ada';
const board = Board.use();
beforeAll(async () => {
  await board.worker('@claude');
  await board.as(user_id).does('POST', '/api/projects', { name: 'Hers' }); // from here on she is known
});

const { rest, task, project, kanban, taskflow, inProject, colibri, patch } = operationsOn(board, user_id);
const review = all(taskflow('start_task'), taskflow('request_review'));

const changes: AuditCase[] = [
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
    'REST: a user nobody has met makes a project',
    ['created', 'created', 'member_added', 'created', 'member_added'],
    ({ task_id }) => board.as(`met-${task_id}`).does('POST', '/api/projects', { name: 'New' }),
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

const nothing: AuditCase[] = [
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

const refusals: AuditCase[] = [
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
    async ({ project_id }) => {
      const members = `/api/projects/${project_id}/members`;
      const [last] = (await board.rest.does('GET', members)).members;
      return board.rest.send('DELETE', `${members}/${last.worker_id}`);
    },
    project('POST', '/members', { handle: '@claude', role: 'owner' }),
  ],
];

const reads: AuditCase[] = [
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

describe('one row for each changed fact:', () => it.each(changes)('%s', writes(board)));
describe('no row for changing', () => it.each(nothing)('%s', writes(board)));
describe('no row for the refusal of', () => it.each(refusals)('%s', writes(board, 1)));
describe('no row for reading over', () => it.each(reads)('%s', writes(board)));
