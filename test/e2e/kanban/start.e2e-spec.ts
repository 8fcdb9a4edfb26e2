import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import {
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
} from '../../support/board.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import { type Json, type McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const start = (task_id: string, more: object = {}) =>
  client.call('start_task_attempt', { task_id, executor: 'SHELL', ...more });

describe('start_task_attempt', () => {
  it('refuses an unknown executor, variant, branch or repository up front, with what there is', async () => {
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

  it('says where a repository is added if the project has none', async () => {
    const { project_id } = await server.rest.answers(201, 'POST', '/api/projects', { name: 'Empty' });
    const task_id = await givenTask(client, project_id);
    expect(await client.refused('start_task_attempt', { task_id, executor: 'SHELL' })).toMatchObject({
      code: 'invalid_argument',
      hint: `Add a repository to the project with POST /api/projects/${project_id}/repos first.`,
    });
  });

  it('names the branch by 8 hex digits, so that attempts made in one instant do not collide', async () => {
    const task_id = await givenTask(client, project.project_id, 'true', 'Überraschung: add /healthz & more!');
    const started = await Promise.all(Array.from({ length: 8 }, () => start(task_id)));
    for (const { attempt_id, workspace_branch } of started) {
      expect(workspace_branch).toMatch(/^ty\/[0-9a-f]{8}-u-?berraschung-add-healthz-more$/);
      await untilEnded(client, attempt_id);
    }
    expect(new Set(started.map((one) => one.workspace_branch)).size).toBe(8);
    expect(project.repository.branches()).toEqual(expect.arrayContaining(started.map((one) => one.workspace_branch)));
  });

  it('follows list_executors: default_variant and availability', async () => {
    const without = await TestServer.start({ SHELL_EXECUTOR: 'off' });
    try {
      const other = await without.mcp();
      const { executors } = await other.call('list_executors', { all: true });
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
});

describe('deleting a task', () => {
  it('removes its branch, unless that holds unmerged commits', async () => {
    const idle = await givenEndedAttempt(client, project.project_id, 'echo draft > draft.txt');
    const worked = await givenEndedAttempt(
      client,
      project.project_id,
      'echo x > x.txt; git add .; git -c user.name=a -c user.email=a@b commit -qm work',
    );
    const branches = () => project.repository.branches();
    expect(branches()).toEqual(expect.arrayContaining([idle.workspace_branch, worked.workspace_branch]));
    for (const { task_id } of [idle, worked])
      expect(await client.call('delete_task', { task_id })).toMatchObject({ deleted_task_id: task_id });
    await passKeptDay(server.database);
    const folder = (attempt: Json) => `${server.environment.DATA_DIR}/worktrees/${attempt.attempt_id}`;
    await eventually('the worktrees to go', () => ![idle, worked].some((attempt) => existsSync(folder(attempt))));
    await eventually('the branch to go', () => !branches().includes(idle.workspace_branch as string));
    expect(branches()).toContain(worked.workspace_branch);
    expect(project.repository.git('show', `refs/taskyard/saved/${idle.attempt_id}:draft.txt`)).toBe('draft');
    expect(await client.refused('get_attempt_status', { attempt_id: idle.attempt_id })).toMatchObject({
      code: 'attempt_not_found',
    });
  });

  it('is refused while a run is live, with a hint that names the way', async () => {
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
});
