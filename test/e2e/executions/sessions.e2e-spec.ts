import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  allRawLines,
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  untilEnded,
} from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { givenRepos, runsOf, taskStatus, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

describe('attempts and their sessions', () => {
  const server = TestServer.share();
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  const openSession = (attempt_id: string, body: object) =>
    server.rest.post(`/api/attempts/${attempt_id}/sessions`, body);

  it('prepares the worktrees of an attempt without executor, and runs nothing', async () => {
    const scripted = await givenRepos(server, [{ name: 'web', setup_script: 'echo setup' }]);
    const task_id = await givenTask(client, scripted);
    const { status, body } = await server.rest.post(`/api/tasks/${task_id}/attempts`);
    expect([status, body.session_id, body.execution_process_id]).toEqual([201, null, null]);
    const attempt_id = body.attempt_id as string;
    expect((await client.call('get_attempt_file', { attempt_id, path: 'web/readme.md' })).content).toBe('# hello\n');
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'idle',
      latest_session_id: null,
      run_reason: null,
    });
    expect(await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'echo hello' })).toMatchObject({
      code: 'no_session_yet',
      retryable: true,
    });
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({
      stopped: false,
      state: 'idle',
      execution_process_id: null,
    });
    expect(await taskStatus(client, task_id)).toBe('todo');

    const opened = await openSession(attempt_id, { executor: 'SHELL' });
    expect(opened.status).toBe(201);
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      latest_session_id: opened.body.session_id,
      final_message: 'hello',
    });
    expect(await runsOf(server, attempt_id)).toEqual(['setupscript web completed', 'codingagent completed']);
    expect(await taskStatus(client, task_id)).toBe('inreview');
  });

  it('opens a session right after the attempt, while its worktrees are still being made', async () => {
    const task_id = await givenTask(client, project_id);
    const { body } = await server.rest.post(`/api/tasks/${task_id}/attempts`);
    await openSession(body.attempt_id as string, { executor: 'SHELL', prompt: 'cat readme.md' });
    expect(await untilEnded(client, body.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: '# hello',
    });
  });

  it('goes on in the newest session by attempt, in any by its own id', async () => {
    const { attempt_id, session_id: first } = await givenEndedAttempt(client, project_id, 'echo one');
    const {
      body: { session_id: second },
    } = await openSession(attempt_id, { executor: 'SHELL', prompt: 'echo two' });
    await untilEnded(client, attempt_id);
    expect(await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo three' })).toMatchObject({
      session_id: second,
    });
    await untilEnded(client, attempt_id);
    expect(await client.call('follow_up', { session_id: first, action: 'send', prompt: 'echo four' })).toMatchObject({
      session_id: first,
    });
    await untilEnded(client, attempt_id);
    expect(await allRawLines(client, attempt_id)).toEqual(['one', 'two', 'three', 'four']);
    const summaries = async (session_id: string) =>
      (await client.call('tail_session_messages', { session_id })).page.entries.map(
        (turn: Json) => turn.summary as string,
      );
    expect([await summaries(first), await summaries(second)]).toEqual([
      ['one', 'four'],
      ['two', 'three'],
    ]);
  });

  it('lets one run at a time into an attempt, whoever asks', async () => {
    const { attempt_id } = await givenAttempt(client, project_id, 'echo ready; sleep 60');
    await untilSaid(client, attempt_id, 'ready');
    expect(await openSession(attempt_id, { executor: 'SHELL' })).toMatchObject({
      status: 409,
      body: { code: 'session_busy', retryable: true },
    });
    expect(await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'true' })).toMatchObject({
      code: 'session_busy',
      hint: expect.stringContaining('queue'),
    });
    await client.call('stop_attempt', { attempt_id, force: true });

    const { wait, open } = gate(server);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => openSession(attempt_id, { executor: 'SHELL', prompt: wait })),
    );
    open();
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
      new Set(['session_busy']),
    );
    await untilEnded(client, attempt_id);
    const { sessions } = (
      await server.query<{ sessions: string }>('SELECT count(*) AS sessions FROM sessions WHERE attempt_id = $1', [
        attempt_id,
      ])
    )[0]!;
    expect(sessions).toBe('2');
  });

  it('keeps what earlier turns did in the worktree, and one numbering over all of them', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'echo made > made.txt; echo one');
    const { page } = await client.call('tail_attempt_logs', { attempt_id, channel: 'raw' });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'cat made.txt' });
    await untilEnded(client, attempt_id);
    const newer = await client.call('tail_attempt_logs', {
      attempt_id,
      channel: 'raw',
      after_entry_index: page.next_after_entry_index,
    });
    expect(newer.page.entries).toMatchObject([{ entry_index: 1, entry: { type: 'stdout', content: 'made' } }]);
  });
});
