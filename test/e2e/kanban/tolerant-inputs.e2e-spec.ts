import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  givenAttempt,
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
let attempt: Json;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
  attempt = await givenEndedAttempt(client, project.project_id, 'seq 3000');
});

describe('tolerant reading', () => {
  it.each([
    ['in_progress', 'inprogress'],
    ['In-Progress', 'inprogress'],
    ['in-review', 'inreview'],
    ['IN REVIEW', 'inreview'],
    [' Done ', 'done'],
    ['todo', 'todo'],
  ])('takes the status %p as %s', async (given, canonical) => {
    const task_id = await givenTask(client, project.project_id);
    expect((await client.call('update_task', { task_id, status: given })).task).toMatchObject({ status: canonical });
    const { applied_filters, tasks } = await client.call('list_tasks', {
      project_id: project.project_id,
      status: given,
    });
    expect(applied_filters).toMatchObject({ status: canonical });
    expect(tasks[0].task_id).toBe(task_id);
  });

  it('lists the valid words for a status it does not know', async () => {
    const refused = await client.refused('list_tasks', { project_id: project.project_id, status: 'reviewing' });
    expect(refused).toMatchObject({
      code: 'invalid_argument',
      retryable: false,
      message: expect.stringContaining('status must be one of: todo, inprogress, inreview, done, cancelled'),
    });
  });

  it.each(['shell', 'Shell', ' SHELL '])('takes the executor %p', async (executor) => {
    const { attempt_id } = await client.call('start_task_attempt', {
      task_id: await givenTask(client, project.project_id),
      executor,
    });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ latest_session_executor: 'SHELL' });
  });

  it('takes null and the empty id as absent', async () => {
    const { attempt_id, session_id } = attempt;
    const task = await client.call('create_task', {
      project_id: project.project_id,
      title: 'Nulls',
      description: null,
      request_id: null,
    });
    expect((await client.call('get_task', task)).task).toMatchObject({ description: null });
    expect(
      await client.call('tail_session_messages', { attempt_id, session_id: '', limit: null, cursor: null }),
    ).toMatchObject({ session_id });
    expect(await client.call('tail_session_messages', { attempt_id: null, session_id })).toMatchObject({ session_id });
    expect(await client.call('list_tasks', { project_id: project.project_id, status: '', limit: null })).toMatchObject({
      applied_filters: { limit: 50 },
    });
    expect(
      await client.call('tail_attempt_logs', {
        attempt_id,
        channel: null,
        cursor: null,
        after_entry_index: null,
        wait_ms: null,
      }),
    ).toMatchObject({ channel: 'normalized' });
    expect(await client.refused('get_attempt_status', { attempt_id: '' })).toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('list_task_attempts'),
    });
    expect(await client.refused('create_task', { project_id: project.project_id, title: null })).toMatchObject({
      code: 'invalid_argument',
      details: { fields: [{ field: 'title' }] },
    });
  });

  it('clears a description by the empty text and keeps what is not given', async () => {
    const task_id = await givenTask(client, project.project_id, 'echo x', 'Kept title');
    expect((await client.call('update_task', { task_id, description: '' })).task).toMatchObject({
      title: 'Kept title',
      description: null,
      status: 'todo',
    });
    expect(
      (await client.call('update_task', { task_id, description: 'again', title: null, status: null })).task,
    ).toMatchObject({ title: 'Kept title', description: 'again' });
  });

  it('takes what no database holds for the nearest: NUL, half characters, numbers beyond counting', async () => {
    const { attempt_id, task_id } = await client.call('start_task_attempt', {
      task_id: await givenTask(client, project.project_id, 'true', 'a\0b\ud800c'),
      executor: 'SHELL',
      prompt: 'echo "x\0y"',
      request_id: 'k\0',
    });
    expect((await client.call('get_task', { task_id })).task).toMatchObject({ title: 'a\uFFFDb\uFFFDc' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'x\uFFFDy' });
    for (const [name, target] of [
      ['list_tasks', { project_id: project.project_id }],
      ['list_task_attempts', { task_id }],
      ['list_repos', { project_id: project.project_id }],
      ['list_projects', {}],
    ] as const) {
      expect(await client.call(name, { ...target, limit: 1e30, cursor: 1e30 })).toMatchObject({
        count: expect.any(Number),
      });
    }
    for (const more of [{ cursor: 1e30 }, { after_entry_index: 1e30 }, { limit: 1e30 }])
      expect((await client.call('tail_attempt_logs', { attempt_id, ...more })).page).toMatchObject({ has_more: false });
    expect(
      (await client.call('tail_session_messages', { attempt_id, cursor: 1e30, limit: 1e30 })).page.entries,
    ).toHaveLength(1);
    expect(await client.call('get_attempt_file', { attempt_id, path: 'web/readme.md', start: 1e30 })).toMatchObject({
      bytes: 0,
      content: '',
      truncated: false,
    });
  });

  it('knows an id in capitals for the same id, in lists, under keys and in answers', async () => {
    const shout = (id: string) => id.toUpperCase();
    const { project_id, repo_id } = project;
    const { task_id } = await client.call('create_task', { project_id, title: 'Loud', request_id: 'loud' });
    expect(
      await client.call('create_task', { project_id: shout(project_id), title: 'Loud', request_id: ' loud ' }),
    ).toEqual({ task_id, replayed: true });
    const started = await client.call('start_task_attempt', {
      task_id: shout(task_id),
      executor: 'SHELL',
      prompt: 'true',
      repos: [{ repo_id: shout(repo_id) }],
    });
    await untilEnded(client, started.attempt_id);
    expect(
      await client.refused('start_task_attempt', {
        task_id,
        executor: 'SHELL',
        repos: [{ repo_id }, { repo_id: shout(repo_id) }],
      }),
    ).toMatchObject({ message: expect.stringContaining('twice') });
    for (const name of ['get_attempt_status', 'get_attempt_changes', 'tail_attempt_logs'])
      expect(await client.call(name, { attempt_id: shout(started.attempt_id) })).toMatchObject({
        attempt_id: started.attempt_id,
      });
    expect(await client.call('list_tasks', { project_id: shout(project_id), limit: 1 })).toMatchObject({ project_id });
  });

  it('gives a run at most a week', async () => {
    const { attempt_id } = await givenAttempt(client, project.project_id, 'sleep 0.2; echo in time', {
      timeout_secs: 1e12,
    });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'in time' });
    expect(await server.query('SELECT timeout_secs FROM executions WHERE attempt_id = $1', [attempt_id])).toEqual([
      { timeout_secs: 604_800 },
    ]);
  });

  it('drops wait_for_previous', async () => {
    expect(
      await client.call('get_attempt_status', { attempt_id: attempt.attempt_id, wait_for_previous: true }),
    ).toMatchObject({ state: 'completed' });
  });
});
