import { beforeAll, describe, expect, it } from '@jest/globals';
import { ExecutorCatalogue } from '../../../src/executors/executor-catalogue.js';
import {
  allRawLines,
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
  untilLine,
} from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';
const server = InProcessServer.use();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});
const followUp = (attempt_id: string, action: string, prompt: string, more: object = {}) =>
  client.call('follow_up', { attempt_id, action, prompt, ...more });
const runsOf = (attempt_id: string) =>
  server.query<{ run_reason: string; status: string; variant: string | null }>(
    'SELECT run_reason, status, variant FROM executions WHERE attempt_id = $1 ORDER BY number',
    [attempt_id],
  );
describe('the turns of a session', () => {
  it('a send during the setup script is session_busy, with a hint that leads on', async () => {
    const { wait, open } = gate(server);
    const slow = await givenProject(server, { name: 'Slow setup', setup_script: `echo setting up; ${wait}` });
    const { attempt_id, session_id } = await givenAttempt(client, slow.project_id, 'echo worked');
    await untilLine(client, attempt_id, 'setting up');
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'running',
      latest_session_id: session_id,
      run_reason: 'setupscript',
    });
    const refused = await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'echo too early' });
    expect(refused).toMatchObject({
      code: 'session_busy',
      retryable: true,
      hint: expect.stringMatching(/follow_up with action=queue.*stop_attempt.*get_attempt_status with wait_ms/),
    });
    expect(await followUp(attempt_id, 'queue', 'echo in time')).toMatchObject({ queue_status: 'queued' });
    open();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'in time' });
    expect(await allRawLines(client, attempt_id)).toEqual(['setting up', 'worked', 'in time']);
  });

  // of a runner beside this process no test can change the variants
  const itInside = process.env.TEST_CLUSTER === 'on' ? it.skip : it;
  itInside('a follow-up without variant keeps the variant of the session', async () => {
    Object.assign(server.app.get(ExecutorCatalogue).get('SHELL').info, { variants: ['FAST', 'PLAN'] });
    try {
      const task_id = await givenTask(client, project.project_id, 'true');
      const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL', variant: 'PLAN' });
      await untilEnded(client, attempt_id);
      for (const more of [{}, { variant: 'DEFAULT' }, { variant: '' }, { variant: 'FAST' }, {}]) {
        await followUp(attempt_id, 'send', 'true', more);
        await untilEnded(client, attempt_id);
      }
      const { wait, open } = gate(server);
      await followUp(attempt_id, 'send', wait);
      expect((await followUp(attempt_id, 'queue', 'true', { variant: 'PLAN' })).queued_message).toMatchObject({
        variant: 'PLAN',
      });
      open();
      await untilEnded(client, attempt_id);
      const variants = (await runsOf(attempt_id)).map(({ variant }) => variant);
      expect(variants.join(' ')).toBe('PLAN PLAN PLAN PLAN FAST FAST FAST PLAN');
    } finally {
      Object.assign(server.app.get(ExecutorCatalogue).get('SHELL').info, { variants: [] });
    }
  });

  it('a send while a turn runs is refused, however many come at once', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, wait);
    for (const target of [
      { attempt_id },
      { session_id: (await client.call('get_attempt_status', { attempt_id })).latest_session_id },
    ]) {
      expect(await client.refused('follow_up', { ...target, action: 'send', prompt: 'echo two' })).toMatchObject({
        code: 'session_busy',
        retryable: true,
      });
    }
    open();
    await untilEnded(client, attempt_id);
    const next = gate(server);
    const again = { attempt_id, action: 'send', prompt: next.wait };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.sdk.callTool({ name: 'follow_up', arguments: again })),
    );
    next.open();
    expect(answers.filter((answer) => !answer.isError)).toHaveLength(1);
    expect(answers.filter((answer) => answer.isError).map((answer) => (answer.structuredContent as Json).code)).toEqual(
      Array(7).fill('session_busy'),
    );
    await untilEnded(client, attempt_id);
    expect(await runsOf(attempt_id)).toHaveLength(2);
  });

  it('a message queued in an idle session runs at once', async () => {
    const { attempt_id, session_id } = await givenEndedAttempt(client, project.project_id);
    const answer = await followUp(attempt_id, 'queue', 'echo at once');
    expect(answer).toEqual({
      session_id,
      action: 'queue',
      execution_process_id: expect.any(String),
      queue_status: 'empty',
      queue_length: 0,
      queued_message: null,
    });
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      latest_execution_process_id: answer.execution_process_id,
      final_message: 'at once',
      has_queued_message: false,
    });
  });

  it('a queued message runs after a turn that changed no file, with and without a cleanup script', async () => {
    const tidy = await givenProject(server, { name: 'Tidy', cleanup_script: 'echo cleaned' });
    for (const [project_id, expected] of [
      [project.project_id, ['turn', 'message']],
      [tidy.project_id, ['turn', 'cleaned', 'message', 'cleaned']],
    ] as const) {
      const { wait, open } = gate(server);
      const { attempt_id } = await givenAttempt(client, project_id, `echo turn; ${wait}`);
      await followUp(attempt_id, 'queue', 'echo message');
      open();
      expect(await untilEnded(client, attempt_id)).toMatchObject({
        state: 'completed',
        final_message: 'message',
        has_queued_message: false,
      });
      expect(await allRawLines(client, attempt_id)).toEqual(expected);
      expect(await client.call('get_attempt_changes', { attempt_id })).toMatchObject({ files: [] });
    }
  });

  it('stop tells whether something was stopped', async () => {
    const { attempt_id, execution_process_id } = await givenAttempt(client, project.project_id, 'echo begun; sleep 60');
    await untilLine(client, attempt_id, 'begun');
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({
      stopped: true,
      is_stopping: false,
      state: 'failed',
      execution_process_id,
    });
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({
      stopped: false,
      is_stopping: false,
      state: 'failed',
      execution_process_id: null,
    });
    expect(await client.call('stop_attempt', { attempt_id, force: true })).toMatchObject({
      force: true,
      stopped: false,
      execution_process_id: null,
    });
  });

  it('the state is running while any run is live, an older one too', async () => {
    const { wait, open } = gate(server);
    const { attempt_id, execution_process_id } = await givenAttempt(client, project.project_id, wait);
    await server.query(
      `INSERT INTO executions (id, attempt_id, session_id, task_id, project_id, run_reason, status,
         started_by)
       SELECT gen_random_uuid(), attempt_id, session_id, task_id, project_id, 'codingagent', 'completed', started_by
       FROM executions WHERE id = $1`,
      [execution_process_id],
    );
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'running',
      latest_execution_process_id: execution_process_id,
    });
    open();
    await untilEnded(client, attempt_id);
  });

  it('between the steps of a turn the state never looks ended', async () => {
    const chained = await givenProject(server, {
      name: 'Chained',
      setup_script: 'sleep 0.1',
      cleanup_script: 'sleep 0.1',
    });
    const { attempt_id } = await givenAttempt(client, chained.project_id, 'sleep 0.1');
    let status: Json;
    do status = await client.call('get_attempt_status', { attempt_id });
    while (status.state === 'running');
    expect(status).toMatchObject({ state: 'completed', run_reason: 'cleanupscript' });
    expect((await runsOf(attempt_id)).map((run) => run.status)).toEqual(['completed', 'completed', 'completed']);
  });

  it('a cleanup script is recorded as cleanupscript', async () => {
    const scripted = await givenProject(server, {
      name: 'Scripted',
      setup_script: 'echo set up',
      cleanup_script: 'echo cleaned',
    });
    const attempt = await givenEndedAttempt(client, scripted.project_id, 'echo worked');
    expect(attempt).toMatchObject({ state: 'completed', run_reason: 'cleanupscript', final_message: 'worked' });
    expect((await runsOf(attempt.attempt_id)).map((run) => run.run_reason)).toEqual([
      'setupscript',
      'codingagent',
      'cleanupscript',
    ]);
    const { page } = await client.call('tail_attempt_logs', { attempt_id: attempt.attempt_id });
    expect(page.entries.map(({ entry }: Json) => entry.metadata?.kind ?? entry.type)).toEqual([
      'setup_script',
      'assistant_message',
      'user_message',
      'assistant_message',
      'cleanup_script',
      'assistant_message',
    ]);
  });

  it('a turn that fails does not lose the conversation of its session', async () => {
    const { attempt_id, session_id } = await givenEndedAttempt(client, project.project_id);
    await server.query("UPDATE sessions SET agent_session_id = 'conversation-1' WHERE id = $1", [session_id]);
    await followUp(attempt_id, 'send', 'exit 1');
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'failed' });
    expect(await followUp(attempt_id, 'send', 'true')).toMatchObject({ session_id });
    await untilEnded(client, attempt_id);
    expect(await server.query('SELECT agent_session_id FROM sessions WHERE id = $1', [session_id])).toEqual([
      { agent_session_id: 'conversation-1' },
    ]);
  });

  it('a turn that says it went well and exits with an error has failed', async () => {
    expect(await givenEndedAttempt(client, project.project_id, 'echo success; exit 2')).toMatchObject({
      state: 'failed',
      failure_summary: 'failed (exit_code=2)',
      final_message: 'success',
    });
    expect(await givenEndedAttempt(client, project.project_id, 'echo success; kill -9 $$')).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringMatching(/SIGKILL|137/),
    });
  });
});
