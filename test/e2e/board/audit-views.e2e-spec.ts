import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';

const user_id = 'ada';
const board = Board.use();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(user_id);
  await board.worker('@claude');
  await board.member(project_id, '@claude');
});

const facts = async (task_id: string) =>
  (await board.audit(task_id)).map(({ action, actor, actor_type, details }) => ({
    action,
    actor,
    actor_type,
    details,
  }));
const state = (stage: string, status: string, taskflow_status: string, is_blocked = false) => ({
  stage,
  status,
  taskflow_status,
  is_blocked,
});

describe('an audit row says', () => {
  it('what was there before and after, for each fact', async () => {
    const { task_id } = await board
      .as(user_id)
      .does('POST', `/api/projects/${project_id}/tasks`, { title: 'Old', description: 'text' });
    const claude = (await board.rest.does('GET', '/api/workers')).workers.find(
      ({ handle }: Json) => handle === '@claude',
    ).worker_id as string;
    await board.as(user_id).does('PUT', `/api/tasks/${task_id}`, { title: 'New', description: null });
    await board.taskflow.call('taskflow_start_task', { user_id: '@claude', task_id });
    await board.as(user_id).does('PATCH', `/api/tasks/${task_id}/status`, { status: 'blocked' });
    await board.colibri.call('task_update', { id: task_id, patch: { assignee: 'the night shift', priority: 'P1' } });
    expect(await facts(task_id as string)).toEqual([
      {
        action: 'created',
        actor: '@ada',
        actor_type: 'human',
        details: { after: { project_id, title: 'Old', description: 'text' } },
      },
      {
        action: 'updated',
        actor: '@ada',
        actor_type: 'human',
        details: { title: { before: 'Old', after: 'New' }, description: { before: 'text', after: null } },
      },
      { action: 'assigned', actor: '@claude', actor_type: 'agent', details: { before: null, after: claude } },
      {
        action: 'status_changed',
        actor: '@claude',
        actor_type: 'agent',
        details: { before: state('INIT', 'todo', 'pending'), after: state('GATHER', 'inprogress', 'in_progress') },
      },
      {
        action: 'status_changed',
        actor: '@ada',
        actor_type: 'human',
        details: {
          before: state('GATHER', 'inprogress', 'in_progress'),
          after: state('GATHER', 'inprogress', 'blocked', true),
        },
      },
      {
        action: 'assigned',
        actor: '@colibri',
        actor_type: 'system',
        details: { before: claude, after: 'the night shift' },
      },
      {
        action: 'updated',
        actor: '@colibri',
        actor_type: 'system',
        details: { priority: { before: null, after: 'P1' } },
      },
    ]);
  });

  it('who acted: the user, else the dialect, else the local owner', async () => {
    const actor = async (task_id: unknown) => (await facts(String(task_id)))[0];
    const open = await board.bareProject();
    expect(await actor(await board.task(open))).toMatchObject({ actor: '@kanban', actor_type: 'system' });
    expect(await actor((await board.colibri.call('task_create', { title: 'x' })).data.id)).toMatchObject({
      actor: '@colibri',
      actor_type: 'system',
    });
    expect(
      await actor(
        (await board.taskflow.call('taskflow_add_task', { user_id: '@claude', project_id, title: 'x' })).task_id,
      ),
    ).toMatchObject({ actor: '@claude', actor_type: 'agent' });
    expect(
      await actor((await board.rest.does('POST', `/api/projects/${open}/tasks`, { title: 'x' })).task_id),
    ).toMatchObject({ actor: '@owner', actor_type: 'human' });
    const colibri = await board.mcpAs(user_id, '/mcp/colibri');
    expect(await actor((await colibri.call('task_create', { title: 'x', project_id })).data.id)).toMatchObject({
      actor: '@ada',
      actor_type: 'human',
    });
  });
});

describe('the view of a task', () => {
  it('is newest first, page by page', async () => {
    const task_id = await board.task(await board.bareProject());
    for (const stage of ['GATHER', 'ANALYZE', 'PLAN', 'APPLY'])
      await board.rest.does('PUT', `/api/tasks/${task_id}`, { stage });
    const page = (query: string) => board.rest.does('GET', `/api/tasks/${task_id}/audit?limit=2${query}`);
    const first = await page('');
    const second = await page(`&cursor=${first.next_cursor}`);
    const third = await page(`&cursor=${second.next_cursor}`);
    expect(
      [first, second, third].map(({ entries, count, has_more }) => [
        (entries as Json[]).map(({ details }) => details.after.stage ?? 'created'),
        count,
        has_more,
      ]),
    ).toEqual([
      [['APPLY', 'PLAN'], 2, true],
      [['ANALYZE', 'GATHER'], 2, true],
      [['created'], 1, false],
    ]);
    expect(third.next_cursor).toBeNull();
  });

  it('stays readable when the task is deleted, for members', async () => {
    const { task_id } = await board.taskflow.call('taskflow_add_task', { user_id, project_id, title: 'Short life' });
    await board.taskflow.call('taskflow_delete_task', { user_id, task_id });
    expect(await facts(task_id as string)).toMatchObject([
      { action: 'created' },
      { action: 'deleted', details: { before: { title: 'Short life', stage: 'INIT' } } },
    ]);
    expect(await board.as('mallory').refused('GET', `/api/tasks/${task_id}/audit`)).toMatchObject({
      status: 403,
      code: 'not_a_member',
    });
    expect(await board.rest.refused('GET', `/api/tasks/${nowhere}/audit`)).toMatchObject({
      status: 404,
      code: 'task_not_found',
    });
  });
});

describe('the view of a project', () => {
  it('holds the project, its members and its tasks, newest first, and nothing of others', async () => {
    const own = await board.bareProject(user_id, 'Own');
    const other = await board.bareProject(user_id, 'Other');
    await board.member(own, '@claude');
    const { task_id } = await board.taskflow.call('taskflow_add_task', { user_id, project_id: own, title: 'x' });
    await board.taskflow.call('taskflow_add_task', { user_id, project_id: other, title: 'y' });
    await board.taskflow.call('taskflow_delete_task', { user_id, task_id });
    const { entries } = await board.as(user_id).does('GET', `/api/projects/${own}/audit`);
    expect((entries as Json[]).map(({ entity_type, action, actor }) => `${entity_type} ${action} ${actor}`)).toEqual([
      'task deleted @ada',
      'task created @ada',
      'project member_added @owner',
      'project member_added @ada',
      'project created @ada',
    ]);
    const page = await board.rest.does('GET', `/api/projects/${own}/audit?limit=3`);
    expect(page).toMatchObject({ count: 3, has_more: true, next_cursor: page.entries[2].number });
    expect(await board.rest.refused('GET', `/api/projects/${nowhere}/audit`)).toMatchObject({
      code: 'project_not_found',
    });
  });
});

describe('a change whose audit cannot be written', () => {
  it('does not happen, whichever surface asked, and says nothing of the database', async () => {
    const open = await board.bareProject();
    const task_id = await board.task(open);
    const before = [
      await board.read(task_id),
      await board.server.query('SELECT count(*)::int AS n FROM tasks'),
      await board.server.query('SELECT count(*)::int AS n FROM workers'),
      await board.server.query('SELECT count(*)::int AS n FROM thought_records'),
    ];
    const attempts: [string, () => Promise<unknown>][] = [
      ['REST', () => board.rest.refused('PUT', `/api/tasks/${task_id}`, { stage: 'DONE' })],
      ['REST delete', () => board.rest.refused('DELETE', `/api/tasks/${task_id}`)],
      ['REST worker', () => board.rest.refused('POST', '/api/workers', { handle: '@ghost', name: 'x', type: 'agent' })],
      ['kanban', () => board.kanban.refused('update_task', { task_id, title: 'Ghost' })],
      ['kanban create', () => board.kanban.refused('create_task', { project_id: open, title: 'Ghost' })],
      ['TaskFlow claim', () => board.taskflow.refused('taskflow_start_task', { user_id: '@claude', task_id })],
      ['TaskFlow newcomer', () => board.taskflow.refused('taskflow_start_task', { user_id: 'ghost', task_id })],
      ['Colibri', () => board.colibri.refused('task_update', { id: task_id, patch: { status: 'PLAN' } })],
      [
        'Colibri thought',
        () => board.colibri.refused('thought_record', { task_id, type: 'plan', agent_id: 'ghost', content: 'x' }),
      ],
    ];
    await board.server.query('ALTER TABLE audit_log ADD CONSTRAINT nothing_more CHECK (false) NOT VALID');
    try {
      for (const [surface, attempt] of attempts)
        expect([surface, JSON.stringify(await attempt())]).toEqual([
          surface,
          expect.not.stringMatching(/nothing_more|audit_log|constraint|INSERT/i),
        ]);
    } finally {
      await board.server.query('ALTER TABLE audit_log DROP CONSTRAINT nothing_more');
    }
    expect([
      await board.read(task_id),
      await board.server.query('SELECT count(*)::int AS n FROM tasks'),
      await board.server.query('SELECT count(*)::int AS n FROM workers'),
      await board.server.query('SELECT count(*)::int AS n FROM thought_records'),
    ]).toEqual(before);
  });
});
