import { beforeAll, describe, expect, it } from '@jest/globals';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
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
import { eventually } from '../../support/eventually.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';

const server = InProcessServer.use();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const status = (attempt_id: string, more: object = {}) => client.call('get_attempt_status', { attempt_id, ...more });
const newer = (attempt_id: string, after_entry_index: number, more: object = {}) =>
  client.call('tail_attempt_logs', { attempt_id, channel: 'raw', after_entry_index, ...more });

/** Says in which order things came: a wait that answers too early stands before what it waited for. */
function journal() {
  const order: string[] = [];
  return {
    order,
    note: (what: string) => order.push(what),
    noting: <T extends Json>(work: Promise<T>, say: (answer: T) => string) =>
      work.then((answer) => {
        order.push(say(answer));
        return answer;
      }),
  };
}

/** Once the server holds so many waiting calls for the attempt. */
async function untilWaiting(attempt_id: string, calls = 1): Promise<void> {
  const { waiters } = server.app.get<{ waiters: Map<string, Set<unknown>> }>(ChangeHub);
  await eventually(`${calls} calls that wait`, () => (waiters.get(attempt_id)?.size ?? 0) >= calls);
}

describe('wait_ms of get_attempt_status', () => {
  it('is woken by the end of the run for an id in capitals too', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, wait);
    const waiting = status(attempt_id.toUpperCase(), { wait_ms: 30_000 });
    await untilWaiting(attempt_id);
    open();
    expect(await waiting).toMatchObject({ attempt_id, state: 'completed' });
  });

  it('answers when the run ends, and not before', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, `echo begun; ${wait}`);
    await untilLine(client, attempt_id, 'begun');
    const { order, note, noting } = journal();
    const waiting = noting(status(attempt_id, { wait_ms: 30_000 }), (answer) => answer.state as string);
    await untilWaiting(attempt_id);
    expect((await status(attempt_id)).state).toBe('running'); // output and other calls do not wake it for good
    note('gate opened');
    open();
    await waiting;
    expect(order).toEqual(['gate opened', 'completed']);
  });

  it('answers at once where the state is another already', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const { order, note, noting } = journal();
    const { wait, open } = gate(server);
    await noting(status(attempt_id, { wait_ms: 30_000 }), (answer) => answer.state as string);
    await noting(status(attempt_id, { wait_ms: 30_000, while_state: 'idle' }), (answer) => answer.state as string);
    note('follow-up');
    await client.call('follow_up', { attempt_id, action: 'send', prompt: wait });
    await noting(status(attempt_id, { wait_ms: 30_000, while_state: 'completed' }), (answer) => answer.state as string);
    expect(order).toEqual(['completed', 'completed', 'follow-up', 'running']);
    open();
    await untilEnded(client, attempt_id);
  });

  it('waits out the state that while_state names', async () => {
    const { attempt_id } = await givenAttemptWithoutSession(server, client, project.project_id);
    const { order, note, noting } = journal();
    const { wait, open } = gate(server);
    const leavesIdle = noting(
      status(attempt_id, { wait_ms: 30_000, while_state: 'idle' }),
      (answer) => `left idle: ${answer.state}`,
    );
    await untilWaiting(attempt_id);
    note('session opened');
    await server.rest.post(`/api/attempts/${attempt_id}/sessions`, { executor: 'SHELL', prompt: wait });
    await leavesIdle;
    const leavesRunning = noting(
      status(attempt_id, { wait_ms: 30_000, while_state: 'running' }),
      (answer) => `left running: ${answer.state}`,
    );
    await untilWaiting(attempt_id);
    note('gate opened');
    open();
    await leavesRunning;
    expect(order).toEqual(['session opened', 'left idle: running', 'gate opened', 'left running: completed']);
  });

  it('answers the state as it is when the time is over', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, wait);
    expect(await status(attempt_id, { wait_ms: 50 })).toMatchObject({ state: 'running' });
    expect(await status(attempt_id, { wait_ms: 0 })).toMatchObject({ state: 'running' });
    open();
    await untilEnded(client, attempt_id);
  });

  it('is at most 30 s, and a number', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    for (const wait_ms of [-1, 1.5, 'soon', 30_001])
      expect(await client.refused('get_attempt_status', { attempt_id, wait_ms })).toMatchObject({
        code: 'invalid_argument',
        details: { fields: [{ field: 'wait_ms' }] },
      });
  });

  it('ends with the task that is deleted meanwhile', async () => {
    const { attempt_id, task_id } = await givenAttemptWithoutSession(server, client, project.project_id);
    const waiting = client.refused('get_attempt_status', { attempt_id, wait_ms: 30_000, while_state: 'idle' });
    await untilWaiting(attempt_id);
    await client.call('delete_task', { task_id });
    expect(await waiting).toMatchObject({ code: 'attempt_not_found' });
  });

  it('holds no connection: more calls wait than the pool has connections, and others are served', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, wait);
    const waiting = Promise.all(Array.from({ length: 40 }, () => status(attempt_id, { wait_ms: 30_000 })));
    await untilWaiting(attempt_id, 40);
    expect(await client.call('list_projects')).toMatchObject({ count: 1 });
    open();
    expect(new Set((await waiting).map((answer) => answer.state))).toEqual(new Set(['completed']));
  });
});

describe('wait_ms of tail_attempt_logs', () => {
  it('answers with the next line, and with the end of the run', async () => {
    const [second, end] = [gate(server), gate(server)];
    const { attempt_id } = await givenAttempt(
      client,
      project.project_id,
      `echo one; ${second.wait}; echo two; ${end.wait}`,
    );
    await untilLine(client, attempt_id, 'one');
    const { order, note, noting } = journal();
    const line = noting(
      newer(attempt_id, 0, { wait_ms: 30_000 }),
      ({ page }) => `line ${page.entries[0].entry.content}`,
    );
    await untilWaiting(attempt_id);
    note('second gate');
    second.open();
    const { page } = await line;
    expect(page).toMatchObject({ entries: [{ entry_index: 1 }], next_after_entry_index: 1, has_more: false });
    const ended = noting(
      newer(attempt_id, 1, { wait_ms: 30_000 }),
      (answer) => `${answer.state}, ${answer.page.entries.length} lines`,
    );
    await untilWaiting(attempt_id);
    note('last gate');
    end.open();
    await ended;
    expect(order).toEqual(['second gate', 'line two', 'last gate', 'completed, 0 lines']);
  });

  it('answers at once where there is something newer, or nothing runs', async () => {
    const { attempt_id, ...ended } = await givenEndedAttempt(client, project.project_id, 'seq 3');
    expect(ended).toMatchObject({ state: 'completed', failure_summary: null });
    expect((await newer(attempt_id, 0, { wait_ms: 30_000 })).page.entries).toHaveLength(2);
    expect(await newer(attempt_id, 2, { wait_ms: 30_000 })).toMatchObject({
      state: 'completed',
      page: { entries: [], next_after_entry_index: 2 },
    });
    const idle = await givenAttemptWithoutSession(server, client, project.project_id);
    expect(await newer(idle.attempt_id, -1, { wait_ms: 30_000 })).toMatchObject({
      state: 'idle',
      page: { entries: [], next_after_entry_index: -1 },
    });
  });

  it('goes only with after_entry_index', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    for (const more of [{}, { cursor: 1 }]) {
      expect(await client.refused('tail_attempt_logs', { attempt_id, wait_ms: 10, ...more })).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('wait_ms only goes with after_entry_index'),
        details: { fields: [{ field: 'wait_ms' }] },
      });
    }
  });
});
