import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  gate,
  givenAttempt,
  givenAttemptWithoutSession,
  givenEndedAttempt,
  givenProject,
  type Project,
  untilEnded,
  untilLine,
} from '../../support/board.js';
import { isLive, processOfRun } from '../../support/eventually.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

/** Nothing starts dev servers yet, so their run is written down by hand. */
async function givenDevServer({ attempt_id, session_id, task_id }: Json, status: string): Promise<string> {
  const id = randomUUID();
  await server.query(
    `INSERT INTO executions
         (id, attempt_id, session_id, task_id, project_id, run_reason, status, started_by)
     VALUES ($1, $2, $3, $4, $5, 'devserver', $6, 'local-owner')`,
    [id, attempt_id, session_id, task_id, project.project_id, status],
  );
  return id;
}

describe('Attempt status tool', () => {
  it('Attempt has no sessions or processes', async () => {
    const { attempt_id, task_id, workspace_branch } = await givenAttemptWithoutSession(
      server,
      client,
      project.project_id,
    );
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      attempt_id,
      task_id,
      workspace_branch,
      state: 'idle',
      latest_session_id: null,
      latest_execution_process_id: null,
      last_activity_at: null,
      failure_summary: null,
      final_message: null,
    });
  });

  it('Attempt is running', async () => {
    const { wait, open } = gate(server);
    const attempt = await givenAttempt(client, project.project_id, `echo begun; ${wait}`);
    const { attempt_id, session_id, execution_process_id } = attempt;
    await untilLine(client, attempt_id, 'begun');
    await givenDevServer(attempt, 'running');
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'running',
      latest_session_id: session_id,
      latest_execution_process_id: execution_process_id,
      run_reason: 'codingagent',
      failure_summary: null,
      is_stopping: false,
    });
    open();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      latest_execution_process_id: execution_process_id,
      final_message: 'begun',
    });
  });

  it('Attempt is failed', async () => {
    const failed = await givenEndedAttempt(client, project.project_id, 'echo so far; exit 3');
    expect(failed).toMatchObject({ state: 'failed', failure_summary: 'failed (exit_code=3)', final_message: 'so far' });
    const { attempt_id } = await givenAttempt(client, project.project_id, 'sleep 60');
    await client.call('stop_attempt', { attempt_id });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('killed'),
    });
  });

  it('leaves dev servers out of the state', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id);
    const dev = await givenDevServer(attempt, 'running');
    const status = await client.call('get_attempt_status', { attempt_id: attempt.attempt_id });
    expect(status).toMatchObject({ state: 'completed', latest_execution_process_id: attempt.execution_process_id });
    await server.query("UPDATE executions SET status = 'failed' WHERE id = $1", [dev]);
    expect(await client.call('get_attempt_status', { attempt_id: attempt.attempt_id })).toMatchObject({
      state: 'completed',
      failure_summary: null,
    });
  });

  it('follows the newest run after a follow-up', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'exit 1');
    const { execution_process_id } = await client.call('follow_up', {
      attempt_id,
      action: 'send',
      prompt: 'echo better',
    });
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      failure_summary: null,
      final_message: 'better',
      latest_execution_process_id: execution_process_id,
    });
  });
});

describe('Stop attempt tool', () => {
  it('Stop a running attempt', async () => {
    for (const force of [false, true]) {
      const { attempt_id, execution_process_id } = await givenAttempt(
        client,
        project.project_id,
        'echo begun; sleep 600',
      );
      await untilLine(client, attempt_id, 'begun');
      expect(await client.call('stop_attempt', { attempt_id, force })).toEqual({
        attempt_id,
        force,
        stopped: true,
        is_stopping: false,
        state: 'failed',
        execution_process_id,
        dropped_messages: 0,
      });
      expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
        state: 'failed',
        failure_summary: 'killed',
        is_stopping: false,
      });
    }
  });

  it('kills by force what ignores every signal, descendants in sessions of their own included', async () => {
    const script =
      "trap '' INT TERM; setsid bash -c 'trap \"\" INT TERM HUP; echo $$ > child.pid; echo deaf; " +
      "sleep 600' & wait; wait";
    const { attempt_id, execution_process_id } = await givenAttempt(client, project.project_id, script);
    await untilLine(client, attempt_id, 'deaf');
    const { content: own } = await client.call('get_attempt_file', { attempt_id, path: 'web/child.pid' });
    const pid = await processOfRun(execution_process_id as string, Number(own));
    expect(isLive(pid)).toBe(true);
    expect(await client.call('stop_attempt', { attempt_id, force: true })).toMatchObject({
      stopped: true,
      state: 'failed',
    });
    expect(isLive(pid)).toBe(false);
  });

  it('leaves dev servers alone', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id);
    const dev = await givenDevServer(attempt, 'running');
    expect(await client.call('stop_attempt', { attempt_id: attempt.attempt_id })).toMatchObject({
      stopped: false,
      state: 'completed',
      execution_process_id: null,
    });
    expect(await server.query('SELECT status FROM executions WHERE id = $1', [dev])).toEqual([{ status: 'running' }]);
  });
});
