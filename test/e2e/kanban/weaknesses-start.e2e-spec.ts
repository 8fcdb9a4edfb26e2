import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { Database } from '../../../src/platform/database/database.js';
import { errorCatalogue } from '../../../src/platform/errors/error-catalogue.js';
import {
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
} from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { type Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let client: McpClient;
let project: Project;
beforeAll(async () => {
  server = await TestServer.start();
  client = await server.mcp();
  project = await givenProject(server);
});
afterAll(() => server.stop());

const start = (task_id: string, more: object = {}) =>
  client.call('start_task_attempt', { task_id, executor: 'SHELL', ...more });

describe('weaknesses of the ancestor in starts, artifacts and lists, beaten', () => {
  it('20: an unknown executor, variant, branch or repository is refused up front, with what there is', async () => {
    project.repository.git('branch', 'release');
    const task_id = await givenTask(client, project.project_id);
    const repos = (target_branch: string, repo_id = project.repo_id) => ({
      executor: 'SHELL',
      repos: [{ repo_id, target_branch }],
    });
    const refusals: [object, object][] = [
      [
        { executor: 'CLAUDE' },
        {
          code: 'executor_unknown',
          hint: expect.stringMatching(/list_executors.*SHELL/),
          details: { executor: 'CLAUDE', known: expect.arrayContaining(['SHELL']) },
        },
      ],
      [
        { executor: 'SHELL', variant: 'PLAN' },
        {
          code: 'variant_unknown',
          hint: expect.stringMatching(/Leave variant out; SHELL has none/),
          details: { variant: 'PLAN', known: [] },
        },
      ],
      [
        repos('relaese'),
        {
          code: 'branch_unknown',
          hint: expect.stringContaining('main, release'),
          details: { repo_name: 'web', target_branch: 'relaese', known: ['main', 'release'] },
        },
      ],
      [
        repos('main', '0198c0de-0000-7000-8000-00000000dead'),
        { code: 'repo_not_in_project', hint: expect.stringContaining('list_repos') },
      ],
      [
        { executor: 'SHELL', repos: [] },
        { code: 'invalid_argument', message: expect.stringContaining('repos') },
      ],
      [
        { executor: 'SHELL', repos: [repos('main').repos[0], repos('release').repos[0]] },
        { code: 'invalid_argument', message: expect.stringContaining('twice') },
      ],
    ];
    for (const [wrong, expected] of refusals)
      expect(await client.refused('start_task_attempt', { task_id, ...wrong })).toMatchObject({
        retryable: false,
        ...expected,
      });
    expect(await client.call('list_task_attempts', { task_id })).toMatchObject({ count: 0 });
    expect((await client.call('get_task', { task_id })).task.status).toBe('todo');
    expect(await untilEnded(client, (await start(task_id, repos('release'))).attempt_id)).toMatchObject({
      state: 'completed',
    });
  });

  it('21: a patch names the paths it skipped, and a cut one is not called blocked', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'seq 200 > numbers.txt');
    const patch = await client.call('get_attempt_patch', {
      attempt_id,
      paths: ['shop/numbers.txt', 'web/numbers.txt', 'web/none.txt'],
    });
    expect(patch).toMatchObject({
      blocked: false,
      paths: ['web/numbers.txt'],
      skipped_paths: ['shop/numbers.txt', 'web/none.txt'],
      patch: expect.stringContaining('+200'),
    });
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['shop'] })).toMatchObject({
      blocked: false,
      paths: [],
      skipped_paths: ['shop'],
      patch: '',
      bytes: 0,
    });
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['web'], max_bytes: 300 })).toMatchObject({
      blocked: false,
      blocked_reason: null,
      truncated: true,
      skipped_paths: [],
    });
  });

  it('22: force does not lift the absolute cap of the list', async () => {
    const { attempt_id } = await givenEndedAttempt(
      client,
      project.project_id,
      'mkdir many; cd many; seq -w 5001 | xargs touch',
    );
    expect(await client.call('get_attempt_changes', { attempt_id })).toMatchObject({
      blocked: true,
      blocked_reason: 'threshold_exceeded',
      files: [],
      summary: { file_count: 5001 },
    });
    const forced = await client.call('get_attempt_changes', { attempt_id, force: true });
    expect(forced).toMatchObject({
      blocked: false,
      truncated: true,
      summary: { file_count: 5001 },
      hint: expect.any(String),
    });
    expect([forced.files.length, forced.files[0], forced.files.at(-1)]).toEqual([
      5000,
      'web/many/0001',
      'web/many/5000',
    ]);
  });

  it('23: the branch carries 8 hex digits, so that attempts made in one instant do not collide', async () => {
    const task_id = await givenTask(client, project.project_id, 'true', 'Überraschung: add /healthz & more!');
    const started = await Promise.all(Array.from({ length: 8 }, () => start(task_id)));
    for (const { attempt_id, workspace_branch } of started) {
      expect(workspace_branch).toMatch(/^ty\/[0-9a-f]{8}-u-?berraschung-add-healthz-more$/);
      await untilEnded(client, attempt_id);
    }
    expect(new Set(started.map((one) => one.workspace_branch)).size).toBe(8);
    expect(project.repository.branches()).toEqual(expect.arrayContaining(started.map((one) => one.workspace_branch)));
  });

  it('24: with a token every surface asks for it, and the client sends it', async () => {
    const guarded = await TestServer.start({ TASKFLOW_SERVICE_TOKEN: 'open sesame' });
    try {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
        expect(await guarded.rest.post('/mcp', list, headers)).toMatchObject({ status: 401 });
        expect(await guarded.rest.get('/api/projects', headers)).toMatchObject({
          status: 401,
          body: { code: 'unauthenticated' },
        });
      }
      const bearer = { authorization: 'Bearer open sesame' };
      expect(await guarded.rest.get('/api/projects', bearer)).toMatchObject({ status: 200 });
      const known = await McpClient.connect(`${guarded.url}/mcp`, bearer);
      expect(await known.call('list_projects')).toMatchObject({ projects: [] });
      await known.close();
    } finally {
      await guarded.stop();
    }
  });

  it('25: list_tasks asks the database as often for many tasks as for one', async () => {
    const database = server.app.get(Database);
    const statements = [jest.spyOn(database, 'query'), jest.spyOn(database, 'queryPrepared')];
    const count = async (project_id: string): Promise<number> => {
      statements.forEach((statement) => statement.mockClear());
      await client.call('list_tasks', { project_id });
      return statements
        .flatMap(({ mock }) => mock.calls as unknown[][])
        .filter(([sql]) => !String(sql).includes('pg_notify')).length; // that one follows a change, whenever it likes
    };
    const { project_id } = await givenProject(server, { name: 'Counted' });
    await givenEndedAttempt(client, project_id);
    const one = await count(project_id);
    for (let left = 20; left > 0; left -= 1) await givenTask(client, project_id);
    await givenEndedAttempt(client, project_id);
    expect([one, await count(project_id)]).toEqual([1, 1]);
    statements.forEach((statement) => statement.mockRestore());
  });

  it('28: list_executors tells default_variant and availability, and start heeds it', async () => {
    const without = await TestServer.start({ SHELL_EXECUTOR: 'off' });
    try {
      const other = await without.mcp();
      const { executors } = await other.call('list_executors');
      expect(executors).toContainEqual(
        expect.objectContaining({
          executor: 'SHELL',
          default_variant: null,
          is_available: false,
          reason: expect.stringContaining('SHELL_EXECUTOR=on'),
        }),
      );
      const task_id = await givenTask(other, (await givenProject(without)).project_id);
      expect(await other.refused('start_task_attempt', { task_id, executor: 'SHELL' })).toMatchObject({
        code: 'executor_unavailable',
        retryable: false,
        hint: expect.stringContaining('list_executors'),
      });
    } finally {
      await without.stop();
    }
  });

  it('29: the branch goes with the task, unless it holds unmerged commits', async () => {
    const idle = await givenEndedAttempt(client, project.project_id, 'echo draft > draft.txt');
    const worked = await givenEndedAttempt(
      client,
      project.project_id,
      'echo x > x.txt; git add .; git -c user.name=a -c user.email=a@b commit -qm work',
    );
    const branches = () => project.repository.branches();
    expect(branches()).toEqual(expect.arrayContaining([idle.workspace_branch, worked.workspace_branch]));
    for (const { task_id } of [idle, worked])
      expect(await client.call('delete_task', { task_id })).toEqual({ deleted_task_id: task_id });
    const folder = (attempt: Json) => `${server.environment.DATA_DIR}/worktrees/${attempt.attempt_id}`;
    await eventually('the worktrees to go', () => ![idle, worked].some((attempt) => existsSync(folder(attempt))));
    await eventually('the branch to go', () => !branches().includes(idle.workspace_branch as string));
    expect(branches()).toContain(worked.workspace_branch);
    expect(project.repository.git('show', `refs/taskyard/saved/${idle.attempt_id}:draft.txt`)).toBe('draft');
    expect(await client.refused('get_attempt_status', { attempt_id: idle.attempt_id })).toMatchObject({
      code: 'attempt_not_found',
    });
  });

  it('29: a task with a live run is not deleted, and the hint names the way', async () => {
    const { wait, open } = gate(server);
    const { task_id, attempt_id } = await givenAttempt(client, project.project_id, wait);
    expect(await client.refused('delete_task', { task_id })).toMatchObject({
      code: 'task_running',
      retryable: false,
      hint: expect.stringContaining(`stop_attempt with attempt_id ${attempt_id}`),
    });
    open();
    await untilEnded(client, attempt_id);
  });

  it('30: every text that agents read is in one language', async () => {
    const { tools } = await client.sdk.listTools();
    const texts = [
      ...Object.values(errorCatalogue).flatMap(({ message, hint }) => [message, hint]),
      ...tools.map((tool) => JSON.stringify(tool)),
      client.sdk.getInstructions()!,
    ];
    expect(texts.filter((text) => !/^[\x20-\x7e\n]+$/.test(text))).toEqual([]);
  });
});
