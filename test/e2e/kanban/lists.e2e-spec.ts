import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  gate,
  givenAttempt,
  givenAttemptWithoutSession,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
} from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const noAttempt = {
  latest_attempt_id: null,
  latest_workspace_branch: null,
  latest_session_id: null,
  latest_session_executor: null,
  has_in_progress_attempt: false,
  last_attempt_failed: false,
};

async function listed(task_id: string): Promise<Json> {
  const { tasks } = await client.call('list_tasks', { project_id: project.project_id });
  return tasks.find((task: Json) => task.task_id === task_id);
}

const start = (task_id: string, prompt: string) =>
  client.call('start_task_attempt', { task_id, executor: 'SHELL', prompt });

describe('list_tasks provides attempt summary', () => {
  it('Task list includes latest attempt info', async () => {
    const task_id = await givenTask(client, project.project_id);
    expect(await listed(task_id)).toMatchObject(noAttempt);
    const first = await start(task_id, 'exit 3');
    expect(await untilEnded(client, first.attempt_id)).toMatchObject({ state: 'failed' });
    expect(await listed(task_id)).toMatchObject({
      latest_attempt_id: first.attempt_id,
      has_in_progress_attempt: false,
      last_attempt_failed: true,
    });

    const { wait, open } = gate(server);
    const second = await start(task_id, wait);
    expect(await listed(task_id)).toMatchObject({
      latest_attempt_id: second.attempt_id,
      latest_workspace_branch: second.workspace_branch,
      latest_session_id: second.session_id,
      latest_session_executor: 'SHELL',
      has_in_progress_attempt: true,
      last_attempt_failed: false,
    });
    open();
    await untilEnded(client, second.attempt_id);
    expect(await listed(task_id)).toMatchObject({
      latest_attempt_id: second.attempt_id,
      has_in_progress_attempt: false,
      last_attempt_failed: false,
    });
  });

  it('takes the attempt that was created last, of equal age the one with the smaller attempt_id', async () => {
    const task_id = await givenTask(client, project.project_id);
    const [first, second] = [
      (await start(task_id, 'true')).attempt_id as string,
      (await start(task_id, 'true')).attempt_id as string,
    ];
    await untilEnded(client, first);
    await untilEnded(client, second);
    const expectLatest = async (attempt_id: string) => {
      const { task } = await client.call('get_task', { task_id });
      const { attempts, latest_attempt_id } = await client.call('list_task_attempts', { task_id });
      expect([
        (await listed(task_id)).latest_attempt_id,
        task.latest_attempt_id,
        latest_attempt_id,
        attempts[0].attempt_id,
      ]).toEqual(Array(4).fill(attempt_id));
    };
    await expectLatest(second);
    await server.query("UPDATE attempts SET created_at = created_at + interval '1 hour' WHERE id = $1", [first]);
    await expectLatest(first);
    await server.query("UPDATE attempts SET created_at = '2026-01-01T00:00:00Z' WHERE task_id = $1", [task_id]);
    await expectLatest([first, second].sort()[0]!);
  });

  it('says that an attempt is in progress when an older one runs', async () => {
    const { wait, open } = gate(server);
    const task_id = await givenTask(client, project.project_id);
    const older = await start(task_id, wait);
    const newer = await start(task_id, 'exit 1');
    await untilEnded(client, newer.attempt_id);
    expect(await listed(task_id)).toMatchObject({
      latest_attempt_id: newer.attempt_id,
      has_in_progress_attempt: true,
      last_attempt_failed: true,
    });
    open();
    await untilEnded(client, older.attempt_id);
  });

  it('filters by status and tells which filters it applied', async () => {
    const { project_id } = await givenProject(server, { name: 'Filtered' });
    const [kept] = [await givenTask(client, project_id, '', 'kept'), await givenTask(client, project_id, '', 'other')];
    await client.call('update_task', { task_id: kept, status: 'inreview' });
    const answer = await client.call('list_tasks', { project_id, status: 'inreview', limit: 7 });
    expect(answer).toMatchObject({
      project_id,
      count: 1,
      applied_filters: { status: 'inreview', limit: 7 },
      tasks: [{ task_id: kept, title: 'kept', status: 'inreview' }],
    });
    expect((await client.call('list_tasks', { project_id })).tasks.map((task: Json) => task.title)).toEqual([
      'other',
      'kept',
    ]);
  });
});

describe('list_task_attempts returns attempt details', () => {
  it('Attempts returned with session summary', async () => {
    const task_id = await givenTask(client, project.project_id);
    const first = await start(task_id, 'true');
    const second = await start(task_id, 'true');
    await untilEnded(client, first.attempt_id);
    await untilEnded(client, second.attempt_id);
    const answer = await client.call('list_task_attempts', { task_id });
    const row = ({ attempt_id, workspace_branch, session_id }: Json) => ({
      attempt_id,
      workspace_branch,
      latest_session_id: session_id,
      latest_session_executor: 'SHELL',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(answer).toMatchObject({
      task_id,
      count: 2,
      latest_attempt_id: second.attempt_id,
      latest_session_id: second.session_id,
      attempts: [row(second), row(first)],
      has_more: false,
      next_cursor: null,
    });
    const page = await client.call('list_task_attempts', { task_id, limit: 1 });
    expect(page).toMatchObject({ count: 1, has_more: true, latest_attempt_id: second.attempt_id });
    expect(await client.call('list_task_attempts', { task_id, limit: 1, cursor: page.next_cursor })).toMatchObject({
      attempts: [row(first)],
      has_more: false,
      next_cursor: null,
      latest_attempt_id: second.attempt_id,
    });
  });

  it('Attempt has no sessions', async () => {
    const { task_id, attempt_id } = await givenAttemptWithoutSession(server, client, project.project_id);
    const answer = await client.call('list_task_attempts', { task_id });
    expect(answer).toMatchObject({
      latest_attempt_id: attempt_id,
      latest_session_id: null,
      attempts: [{ attempt_id, latest_session_id: null, latest_session_executor: null, state: 'idle' }],
    });
  });
});

describe('Executor discovery tool', () => {
  it('Executor identifiers are usable', async () => {
    const { executors, count } = await client.call('list_executors');
    expect(count).toBe(executors.length);
    expect(executors.every(({ is_available }: Json) => is_available)).toBe(true);
    const every = (await client.call('list_executors', { all: true })).executors as Json[];
    expect(every.length).toBeGreaterThan(count as number);
    expect(every.filter(({ is_available }) => !is_available).every(({ reason }) => reason !== null)).toBe(true);
    expect(executors).toContainEqual(
      expect.objectContaining({
        executor: 'SHELL',
        variants: [],
        supports_mcp: false,
        takes: 'script',
        default_variant: null,
        is_available: true,
        reason: null,
      }),
    );
    for (const { executor } of executors.filter((one: Json) => ['SHELL', 'DEMO'].includes(one.executor as string))) {
      const started = await client.call('start_task_attempt', {
        task_id: await givenTask(client, project.project_id),
        executor,
      });
      expect(await client.call('list_task_attempts', { task_id: started.task_id })).toMatchObject({
        attempts: [{ latest_session_executor: executor }],
      });
      await untilEnded(client, started.attempt_id);
    }
  });
});

describe('Workspace context data', () => {
  it('Context returns unified attempt data', async () => {
    const { attempt_id, task_id, workspace_branch } = await givenEndedAttempt(client, project.project_id);
    const bound = await server.mcp(`?attempt_id=${attempt_id}`);
    expect(await bound.call('get_context')).toEqual({
      project_id: project.project_id,
      project_name: 'Web shop',
      task_id,
      task_title: 'Say hello',
      task_status: 'inreview',
      attempt_id,
      workspace_branch,
      workspace_repos: [{ repo_id: project.repo_id, repo_name: 'web', target_branch: 'main' }],
    });
  });

  it('is known to the agent of the attempt alone', async () => {
    await expect(client.call('get_context')).rejects.toThrow();
    const answer = await server.rest.post('/mcp?attempt_id=0198c0de-0000-7000-8000-00000000dead', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
    });
    expect(answer).toMatchObject({ status: 404, body: { code: 'attempt_not_found' } });
    const { attempt_id } = await givenAttempt(client, project.project_id, 'true');
    await untilEnded(client, attempt_id);
  });
});
