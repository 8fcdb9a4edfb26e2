import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject, givenTask, type Project } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
let attempt: Json;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
  attempt = await givenEndedAttempt(client, project.project_id, 'seq 3000');
});

describe('limit', () => {
  it('of list_tasks is 50 by default and 500 at most', async () => {
    const { project_id } = await givenProject(server, { name: 'Large' });
    await server.query(
      `INSERT INTO tasks (id, project_id, title, created_at, updated_at)
         SELECT gen_random_uuid(), $1, 'task ' || n, now(), now() FROM generate_series(1, 501) n`,
      [project_id],
    );
    const list = (more: object = {}) => client.call('list_tasks', { project_id, ...more });
    const plain = await list();
    expect([plain.count, plain.tasks.length, plain.applied_filters, plain.has_more]).toEqual([
      50,
      50,
      { limit: 50 },
      true,
    ]);
    const most = await list({ limit: 1_000_000 });
    expect([most.count, most.applied_filters, most.has_more]).toEqual([500, { limit: 500 }, true]);
    expect(await list({ limit: 500, cursor: most.next_cursor })).toMatchObject({
      count: 1,
      tasks: [{ title: 'task 1' }],
      has_more: false,
      next_cursor: null,
    });
  });

  it('of tail_attempt_logs is 20 normalized and 200 raw by default, and 1000 at most', async () => {
    const { attempt_id } = attempt;
    const count = async (more: object) =>
      (await client.call('tail_attempt_logs', { attempt_id, ...more })).page.entries.length as number;
    expect([
      await count({}),
      await count({ channel: 'raw' }),
      await count({ channel: 'raw', limit: 5_000 }),
      await count({ channel: 'raw', after_entry_index: -1, limit: 5_000 }),
    ]).toEqual([20, 200, 1000, 1000]);
    expect([await count({ channel: 'raw', after_entry_index: -1 }), await count({ channel: 'raw', limit: 7 })]).toEqual(
      [200, 7],
    );
  });

  it('of tail_session_messages is 20 by default and 200 at most', async () => {
    const { attempt_id, session_id } = await givenEndedAttempt(client, project.project_id);
    await server.query(
      `INSERT INTO executions
         (id, attempt_id, session_id, task_id, project_id, run_reason, status, prompt, started_by)
       SELECT gen_random_uuid(), attempt_id, session_id, task_id, project_id, 'codingagent', 'completed', 'turn ' || n,
         started_by
       FROM executions, generate_series(1, 200) n WHERE session_id = $1`,
      [session_id],
    );
    const page = async (more: object = {}) =>
      (await client.call('tail_session_messages', { attempt_id, ...more })).page as Json;
    expect([(await page()).entries.length, (await page()).next_cursor]).toEqual([20, 181]);
    const most = await page({ limit: 201 });
    expect([most.entries.length, most.entries[0].entry_index, most.has_more]).toEqual([200, 1, true]);
    expect(await page({ cursor: most.next_cursor })).toMatchObject({
      entries: [{ entry_index: 0 }],
      has_more: false,
      next_cursor: null,
    });
  });

  it.each([
    'list_projects',
    'list_repos',
    'list_tasks',
    'list_task_attempts',
    'tail_attempt_logs',
    'tail_session_messages',
  ])('of %s is a whole number from 1', async (name) => {
    const targets: Json = {
      list_repos: 'project_id',
      list_tasks: 'project_id',
      list_task_attempts: 'task_id',
      tail_attempt_logs: 'attempt_id',
      tail_session_messages: 'attempt_id',
    };
    const ids: Json = { ...attempt, project_id: project.project_id };
    const target = targets[name] ? { [targets[name]]: ids[targets[name]] } : {};
    for (const limit of [0, -1, 1.5, 'ten'])
      expect(await client.refused(name, { ...target, limit })).toMatchObject({
        code: 'invalid_argument',
        details: { fields: [{ field: 'limit' }] },
      });
    await client.call(name, { ...target, limit: 1 });
    expect(await client.refused(name, { ...target, cursor: -1 })).toMatchObject({
      code: 'invalid_argument',
      details: { fields: [{ field: 'cursor' }] },
    });
  });
});

describe('strict reading', () => {
  it('refuses every other unknown field by name, in nested objects too', async () => {
    const refused = await client.refused('get_attempt_status', {
      attempt_id: attempt.attempt_id,
      workspace_id: attempt.attempt_id,
      verbose: true,
    });
    expect(refused).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('known fields: attempt_id, wait_ms, while_state'),
      details: { fields: [{ field: 'workspace_id' }, { field: 'verbose' }] },
    });
    const nested = await client.refused('start_task_attempt', {
      task_id: attempt.task_id,
      executor: 'SHELL',
      repos: [{ repo_id: project.repo_id, branch: 'main' }],
    });
    expect(nested).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('known fields: repo_id, target_branch'),
      details: { fields: [{ field: 'repos.0.branch' }] },
    });
  });

  it.each(['stop', 'kill', 'interrupt', 'Abort'])(
    'answers follow_up action=%s with the tool that stops',
    async (action) => {
      const refused = await client.refused('follow_up', { attempt_id: attempt.attempt_id, action, prompt: 'now' });
      expect(refused).toMatchObject({
        code: 'invalid_argument',
        retryable: false,
        hint: expect.stringContaining('stop_attempt with attempt_id'),
      });
    },
  );

  it('tells for a bad id which tool answers good ones', async () => {
    const sources: [string, object, string][] = [
      ['list_tasks', { project_id: 'web' }, 'list_projects'],
      ['get_task', { task_id: '42' }, 'list_tasks'],
      ['get_attempt_status', { attempt_id: 'ty/main' }, 'list_task_attempts'],
      ['tail_session_messages', { session_id: 'x' }, 'get_attempt_status'],
      [
        'start_task_attempt',
        { task_id: attempt.task_id, executor: 'SHELL', repos: [{ repo_id: 'wob' }] },
        'list_repos',
      ],
    ];
    for (const [name, args, source] of sources)
      expect([name, await client.refused(name, args)]).toMatchObject([
        name,
        {
          code: 'invalid_argument',
          message: expect.stringContaining('must be a UUID'),
          hint: expect.stringContaining(source),
        },
      ]);
  });

  it('refuses blank titles, prompts and executors', async () => {
    const task_id = await givenTask(client, project.project_id);
    for (const title of ['', ' \n'])
      expect(await client.refused('create_task', { project_id: project.project_id, title })).toMatchObject({
        code: 'invalid_argument',
        details: { fields: [{ field: 'title' }] },
      });
    expect(await client.refused('update_task', { task_id, title: '' })).toMatchObject({
      details: { fields: [{ field: 'title' }] },
    });
    expect(await client.refused('start_task_attempt', { task_id, executor: ' ' })).toMatchObject({
      details: { fields: [{ field: 'executor' }] },
    });
    expect(await client.refused('get_attempt_patch', { attempt_id: attempt.attempt_id, paths: [] })).toMatchObject({
      details: { fields: [{ field: 'paths' }] },
    });
  });
});
