import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { eventually, isLive, processesOfRun, processOfRun } from '../../support/eventually.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { eventsOf, givenRepos, runsOf, taskStatus, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

const ENDLESS = 'echo ready; sleep 600';
/** A grandchild in a session and group of its own, deaf to gentle signals; says its pid, and waits to be let go. */
const escape = (wait: string): string =>
  `setsid bash -c 'trap "" INT TERM HUP; echo "escaped $$"; while :; do sleep 1; done' & ${wait};`;

describe('stopping', () => {
  const server = TestServer.use({ MAX_CONCURRENT_EXECUTIONS: '1' });
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  const stop = (attempt_id: string, force = false): Promise<Json> => client.call('stop_attempt', { attempt_id, force });

  async function given(
    script: string,
    says = 'ready',
    project = project_id,
  ): Promise<{ attempt_id: string; task_id: string; execution_process_id: string }> {
    const attempt = await givenAttempt(client, project, script);
    await untilSaid(client, attempt.attempt_id as string, says);
    return attempt as never;
  }

  /** Lets the script go on, and answers the pid of its grandchild as it is outside. */
  async function escaped({ attempt_id, execution_process_id }: Json, open: () => void): Promise<number> {
    const own = Number((await untilSaid(client, attempt_id as string, 'escaped')).split(' ')[1]);
    const pid = await processOfRun(execution_process_id as string, own);
    open();
    return pid;
  }

  it('ends the agent, says so, and is repeatable', async () => {
    const { attempt_id, task_id, execution_process_id } = await given(ENDLESS);
    expect(await stop(attempt_id)).toEqual({
      attempt_id,
      force: false,
      stopped: true,
      is_stopping: false,
      state: 'failed',
      execution_process_id,
      dropped_messages: 0,
    });
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: 'killed',
      is_stopping: false,
    });
    expect(await stop(attempt_id)).toMatchObject({
      stopped: false,
      is_stopping: false,
      state: 'failed',
      execution_process_id: null,
    });
    expect(await taskStatus(client, task_id)).toBe('inreview');
    expect(await eventsOf(server, attempt_id)).toEqual([
      'codingagent queued',
      'codingagent running',
      'stop requested',
      'codingagent killed',
    ]);
  });

  it('keeps what the run said before, and lets it say goodbye', async () => {
    const { attempt_id } = await given('trap "echo goodbye; exit 0" INT; echo ready; while :; do sleep 0.1; done');
    expect(await stop(attempt_id)).toMatchObject({ stopped: true, state: 'failed' });
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'goodbye']);
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      failure_summary: 'killed',
      final_message: 'ready\ngoodbye',
    });
  });

  it('during the setup ends the whole turn: no agent, no cleanup', async () => {
    const scripted = await givenRepos(server, [{ name: 'web', setup_script: ENDLESS, cleanup_script: 'echo cleanup' }]);
    const { attempt_id } = await given('echo agent', 'ready', scripted);
    expect(await stop(attempt_id)).toMatchObject({ stopped: true, state: 'failed' });
    expect(await runsOf(server, attempt_id)).toEqual(['setupscript web killed']);
  });

  it('during the cleanup leaves the answer of the turn', async () => {
    const scripted = await givenRepos(server, [{ name: 'web', cleanup_script: 'echo tidying; sleep 600' }]);
    const { attempt_id } = await given('echo answer', 'tidying', scripted);
    await stop(attempt_id);
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent completed', 'cleanupscript web killed']);
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      final_message: 'answer',
    });
  });

  it('takes a run that nobody has started yet out of the queue', async () => {
    const busy = await given(ENDLESS);
    const waiting = await givenAttempt(client, project_id, 'echo never');
    expect(await client.call('get_attempt_status', { attempt_id: waiting.attempt_id })).toMatchObject({
      state: 'running',
    });
    await client.call('follow_up', { attempt_id: waiting.attempt_id, action: 'queue', prompt: 'echo never either' });
    expect(await stop(waiting.attempt_id as string)).toMatchObject({
      stopped: true,
      state: 'failed',
      execution_process_id: waiting.execution_process_id,
    });
    expect(await client.call('get_attempt_status', { attempt_id: waiting.attempt_id })).toMatchObject({
      failure_summary: 'killed before it started',
      has_queued_message: false,
    });
    expect(await taskStatus(client, waiting.task_id as string)).toBe('inreview');
    await stop(busy.attempt_id);

    const after = await givenEndedAttempt(client, project_id, 'echo the queue goes on');
    expect(after).toMatchObject({ state: 'completed', final_message: 'the queue goes on' });
    expect(await runsOf(server, waiting.attempt_id as string)).toEqual(['codingagent killed']);
    expect(await allRawLines(client, waiting.attempt_id as string)).toEqual([]);
  });

  it('by force may follow a gentle stop that is ignored', async () => {
    const { wait, open } = gate(server);
    const attempt = await given(`trap "" INT TERM; ${escape(wait)} echo ready; while :; do sleep 0.1; done`, 'escaped');
    const { attempt_id, execution_process_id } = attempt;
    const pid = await escaped(attempt, open);
    const gentle = stop(attempt_id);
    await eventually(
      'the gentle stop to be asked for',
      async () => (await client.call('get_attempt_status', { attempt_id })).is_stopping as boolean,
    );
    expect(isLive(pid)).toBe(true);
    expect(await stop(attempt_id, true)).toMatchObject({ force: true, stopped: true, state: 'failed' });
    expect(await gentle).toMatchObject({ force: false, stopped: true });
    expect([processesOfRun(execution_process_id), isLive(pid)]).toEqual([[], false]);
    expect((await eventsOf(server, attempt_id)).slice(-3)).toEqual([
      'stop requested',
      'stop requested (force)',
      'codingagent killed',
    ]);
  });

  it('gently ends by force by itself what ignores every signal', async () => {
    const { attempt_id, execution_process_id } = await given(
      'trap "" INT TERM; echo ready; while :; do sleep 0.1; done',
    );
    expect(await stop(attempt_id)).toMatchObject({ stopped: true, state: 'failed' });
    expect(processesOfRun(execution_process_id)).toEqual([]);
  });

  it.each([
    ['a good end', 'exit 0', 'completed'],
    ['a failure', 'exit 1', 'failed'],
    ['its own death', 'kill -9 $$', 'failed'],
  ])('is not needed for grandchildren in sessions of their own: they are gone after %s', async (_, end, state) => {
    const { wait, open } = gate(server);
    const attempt = await given(`${escape(wait)} ${end}`, 'escaped');
    const { attempt_id, execution_process_id } = attempt;
    const pid = await escaped(attempt, open);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state });
    expect([processesOfRun(execution_process_id), isLive(pid)]).toEqual([[], false]);
  });

  it.each([false, true])('takes grandchildren in sessions of their own along, force: %s', async (force) => {
    const { wait, open } = gate(server);
    const attempt = await given(`${escape(wait)} ${ENDLESS}`, 'escaped');
    const { attempt_id, execution_process_id } = attempt;
    const pid = await escaped(attempt, open);
    await stop(attempt_id, force);
    expect([processesOfRun(execution_process_id), isLive(pid)]).toEqual([[], false]);
  });

  it('lets the attempt go on afterwards', async () => {
    const { attempt_id } = await given(ENDLESS);
    await stop(attempt_id, true);
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo again' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: 'again',
      failure_summary: null,
    });
  });
});
