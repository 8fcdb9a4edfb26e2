import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

describe('who acts', () => {
  const board = Board.use();
  let project_id: string;
  beforeAll(async () => {
    project_id = await board.bareProject();
  });

  const started = async (user_id: string): Promise<Json> => {
    const task_id = await board.task(project_id);
    await board.taskflow.call('taskflow_start_task', { user_id, task_id });
    return { assignee: (await board.read(task_id)).assignee, ...(await board.audit(task_id)).at(-1)! };
  };
  /** Those that have members. */
  const ownProjects = async (user_id: string): Promise<Json[]> => {
    const { result } = await board.taskflow.call('taskflow_list_projects', { user_id });
    return (result as Json[]).filter(({ member_count }) => member_count > 0);
  };
  const workers = async (): Promise<Json[]> =>
    (await board.rest.does('GET', '/api/workers?limit=500')).workers as Json[];

  it('an unknown user who only reads owns nothing, in every dialect, and is not made', async () => {
    const before = await workers();
    const projects = async () => (await board.rest.does('GET', '/api/projects?limit=500')).projects as Json[];
    const boards = await projects();
    const owned = await board.bareProject('ada@example.org');
    const open = (await board.taskflow.call('taskflow_list_projects', { user_id: 'reader' })).result as Json[];
    expect(open.map(({ id }) => id as string)).toContain(project_id); // open to everybody, so anybody may write there
    expect(open.filter(({ member_count }) => member_count > 0)).toEqual([]);
    const reader = board.as('reader');
    expect((await reader.does('GET', '/api/projects')).projects).not.toContainEqual(
      expect.objectContaining({ project_id: owned }),
    );
    expect(await reader.refused('GET', `/api/projects/${owned}`)).toMatchObject({ code: 'not_a_member' });
    for (const [path, tool, args] of [
      ['/mcp', 'list_projects', {}],
      ['/mcp/taskflow', 'taskflow_list_projects', { user_id: 'reader' }],
      ['/mcp/colibri', 'task_list', {}],
    ] as const)
      await (await board.mcpAs('reader', path)).call(tool, args);
    const fresh = (await workers()).filter(({ user_id }) => user_id !== 'ada@example.org');
    expect(fresh).toEqual(before.filter(({ user_id }) => user_id !== 'ada@example.org'));
    expect((await projects()).filter(({ name }) => name === 'Default').length).toBe(
      boards.filter(({ name }) => name === 'Default').length + 1, // ada's, who wrote
    );
  });

  it('an unknown user who writes with the header becomes a person, whichever tool it is', async () => {
    const kanban = await board.mcpAs('writer', '/mcp');
    await kanban.call('create_task', { project_id, title: 'Mine' });
    expect((await workers()).map(({ user_id }) => user_id as string)).toContain('writer');
  });

  it('an unknown user who writes becomes a person with a Default project of their own', async () => {
    const task_id = await board.task(project_id);
    await board.taskflow.call('taskflow_start_task', { user_id: 'grace.hopper@example.org', task_id });
    const result = await ownProjects('grace.hopper@example.org');
    expect(result).toEqual([
      {
        id: expect.any(String),
        name: 'Default',
        slug: expect.stringMatching(/^default-/),
        description: null,
        task_count: 0,
        member_count: 1,
      },
    ]);
    expect(await workers()).toContainEqual({
      worker_id: expect.any(String),
      handle: '@grace-hopper',
      name: 'grace.hopper@example.org',
      type: 'human',
      user_id: 'grace.hopper@example.org',
      created_at: expect.any(String),
    });
    expect(await ownProjects('grace.hopper@example.org')).toEqual(result);
    const { members } = await board.rest.does('GET', `/api/projects/${result[0]!.id}/members`);
    expect(members).toMatchObject([{ handle: '@grace-hopper', role: 'owner' }]);
  });

  it('an agent, by handle or by worker id, is the actor itself', async () => {
    const worker_id = await board.worker('@claude');
    for (const user_id of ['@claude', 'claude', 'CLAUDE', worker_id])
      expect(await started(user_id)).toMatchObject({
        assignee: '@claude',
        action: 'status_changed',
        actor: '@claude',
        actor_id: worker_id,
        actor_type: 'agent',
      });
    expect((await workers()).filter(({ handle }) => String(handle).startsWith('@claude'))).toHaveLength(1);
  });

  it('S11: user_id and X-User-Id that name two people are a contradiction, and change nothing', async () => {
    const task_id = await board.task(project_id);
    const mallory = await board.mcpAs('mallory', '/mcp/taskflow');
    const before = await workers();
    for (const user_id of ['ada@example.org', 'nobody-yet'])
      expect(await mallory.refused('taskflow_start_task', { user_id, task_id })).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('X-User-Id'),
      });
    expect(await workers()).toEqual(before);
    expect((await board.read(task_id)).assignee).toBeNull();
    await mallory.call('taskflow_start_task', { user_id: 'mallory', task_id });
    expect((await board.read(task_id)).assignee).toBe('@mallory');
  });

  it('a person is the actor as a person', async () => {
    expect(await started('auth0|7')).toMatchObject({ assignee: '@auth0-7', actor: '@auth0-7', actor_type: 'human' });
  });

  it('a user whose id reads like the handle of another person is somebody else', async () => {
    expect(await started('linus@example.org')).toMatchObject({ actor: '@linus' });
    const other = await started('linus');
    expect(other.actor).toMatch(/^@linus-[0-9a-f]{6}$/);
    expect((await started('linus')).actor).toBe(other.actor);
    expect((await started('@linus')).actor).toBe('@linus');
  });

  it('a user without a usable letter still gets a handle', async () => {
    expect((await started('日本')).actor).toBe('@user');
    expect((await started('¿?')).actor).toMatch(/^@user-[0-9a-f]{6}$/);
  });

  it('a user id wins over the handle of another worker', async () => {
    await board.worker('@night-shift', 'human', 'shift-7');
    expect(await started('shift-7')).toMatchObject({ actor: '@night-shift' });
  });
});

describe('with AUTO_PROVISION=off', () => {
  const board = Board.use({ AUTO_PROVISION: 'off' });

  it('an unknown user is refused on every way in, and nothing is made', async () => {
    const unknown = {
      code: 'worker_not_found',
      message: 'Worker nobody was not found.',
      hint: expect.stringContaining('POST /api/workers'),
    };
    const project_id = await board.bareProject();
    expect(await board.taskflow.refused('taskflow_list_projects', { user_id: 'nobody' })).toMatchObject({
      ...unknown,
      error: true,
      status_code: 404,
    });
    expect(await board.as('nobody').refused('GET', '/api/projects')).toMatchObject({ ...unknown, status: 404 });
    expect(
      await board.rest.refused('POST', `/api/projects/${project_id}/members`, { user_id: 'nobody' }),
    ).toMatchObject({ ...unknown, status: 404 });
    await expect(board.mcpAs('nobody', '/mcp')).rejects.toThrow('worker_not_found');
    expect((await board.rest.does('GET', '/api/workers')).workers).toEqual([]);
  });

  it('a worker that was added acts', async () => {
    await board.worker('@ada', 'human', 'auth0|ada');
    await board.worker('@claude');
    const project_id = await board.bareProject('auth0|ada');
    const seenBy = async (user_id: string) =>
      ((await board.taskflow.call('taskflow_list_projects', { user_id })).result as Json[]).map(
        ({ id }) => id as string,
      );
    expect(await seenBy('auth0|ada')).toContain(project_id);
    expect(await seenBy('@claude')).not.toContain(project_id);
  });
});

describe('a user without a project', () => {
  const board = Board.use();

  it('is told what a person has to do, in the words of this dialect', async () => {
    const user_id = 'nobody|without-a-project';
    expect(await board.taskflow.call('taskflow_list_projects', { user_id })).toEqual({
      result: [],
      hint: expect.stringContaining('Ask the owner of one'),
      next: { tool: 'taskflow_list_projects', arguments: { user_id } },
    });
  });
});
