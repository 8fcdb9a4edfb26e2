import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate, untilLine } from '../../support/board.js';
import { Board, nowhere } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { eventsOf, runsOf } from '../../support/runs.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});

interface Held {
  attempt_id: string;
  /** Of its session. */
  queue: string;
  open: () => void;
}

/** A run that waits to be let on, with these messages behind it. */
async function givenQueue(prompts: string[], after = 'true'): Promise<Held & { ids: string[] }> {
  const held = gate(board.server);
  const { attempt_id, session_id } = (await board.attempt(project_id, `echo begun; ${held.wait}; ${after}`)) as Record<
    string,
    string
  >;
  await untilLine(board.kanban, attempt_id!, 'begun');
  for (const prompt of prompts) await board.kanban.call('follow_up', { session_id, action: 'queue', prompt });
  const queue = `/api/sessions/${session_id}/queue`;
  const ids = (await listed(queue)).map(({ message_id }) => message_id as string);
  return { attempt_id: attempt_id!, queue, open: held.open, ids };
}

const listed = async (queue: string): Promise<Json[]> =>
  (await board.rest.answers(200, 'GET', queue)).messages as Json[];
const prompts = async (queue: string) => (await listed(queue)).map(({ prompt }) => prompt as string);
const linesOnceEnded = async (attempt_id: string) => {
  await board.untilEnded(attempt_id);
  return allRawLines(board.kanban, attempt_id);
};

describe('the queue of a session', () => {
  it('lists its messages in order, of which each is changed or dropped by itself', async () => {
    const { attempt_id, queue, ids, open } = await givenQueue(['echo one', 'echo two', 'echo three']);
    expect(await prompts(queue)).toEqual(['echo one', 'echo two', 'echo three']);
    const changed = await board.rest.answers(200, 'PUT', `${queue}/${ids[2]}`, { prompt: 'echo 3' });
    expect(changed).toMatchObject({ queue_length: 3, queued_message: { message: 'echo one' } });
    expect(changed.messages[2]).toEqual({ message_id: ids[2], prompt: 'echo 3', goes_first: false });
    expect(await board.rest.answers(200, 'DELETE', `${queue}/${ids[0]}`)).toMatchObject({ queue_length: 2 });
    open();
    expect(await linesOnceEnded(attempt_id)).toEqual(['begun', 'two', '3']);
    const told = await eventsOf(board.server, attempt_id);
    expect(told).toEqual(
      expect.arrayContaining(['a queued message was changed', 'the queued message was dropped: cancelled']),
    );
  });

  it('sends one now: the run is stopped, the others wait on', async () => {
    const { attempt_id, queue, ids } = await givenQueue(['echo one', 'echo two; exit 1', 'echo three']);
    await board.rest.answers(200, 'POST', `${queue}/${ids[1]}/send`);
    expect(await linesOnceEnded(attempt_id)).toEqual(['begun', 'two']); // it failed, so that the others are dropped
    expect(await runsOf(board.server, attempt_id)).toEqual(['codingagent killed', 'codingagent failed']);
  });

  it('goes on with the others once what was sent now has ended well', async () => {
    const { attempt_id, queue, ids } = await givenQueue(['echo one', 'echo two']);
    await board.rest.answers(200, 'POST', `${queue}/${ids[1]}/send`);
    expect(await linesOnceEnded(attempt_id)).toEqual(['begun', 'two', 'one']);
  });

  it('sends one now though the run fails by itself meanwhile', async () => {
    const { attempt_id, queue, ids, open } = await givenQueue(['echo one'], 'exit 1');
    const sending = board.rest.send('POST', `${queue}/${ids[0]}/send`);
    open();
    const sent = await sending;
    // the failure drops it where it comes first
    const isSent = sent.status === 200;
    expect(isSent || sent.body.code === 'message_gone').toBe(true);
    expect(await linesOnceEnded(attempt_id)).toEqual(isSent ? ['begun', 'one'] : ['begun']);
  });

  it('is emptied by a stop, also of what was to be sent first', async () => {
    const { attempt_id, queue, ids } = await givenQueue(['echo one', 'echo two'], 'true');
    await board.rest.answers(200, 'POST', `${queue}/${ids[1]}/send`);
    await board.untilEnded(attempt_id);
    const again = await givenQueue(['echo never']);
    const stopped = await board.rest.answers(200, 'POST', `/api/attempts/${again.attempt_id}/stop`, { force: true });
    expect(stopped).toMatchObject({ dropped_messages: 1 });
    expect(await prompts(again.queue)).toEqual([]);
  });

  it('refuses what has been taken, dropped, or is in another session', async () => {
    const { attempt_id, queue, ids, open } = await givenQueue(['echo one', 'echo two']);
    const other = await givenQueue(['echo other']);
    await board.rest.answers(200, 'DELETE', `${queue}/${ids[1]}`);
    for (const id of [ids[1], other.ids[0], nowhere]) {
      const refusal = await board.rest.refuses('message_gone', 'PUT', `${queue}/${id}`, { prompt: 'echo x' });
      expect(refusal).toMatchObject({ status: 409, retryable: false, details: { message_id: id } });
      await board.rest.refuses('message_gone', 'DELETE', `${queue}/${id}`);
      await board.rest.refuses('message_gone', 'POST', `${queue}/${id}/send`);
    }
    await board.rest.refuses('invalid_argument', 'PUT', `${queue}/${ids[0]}`, { prompt: ' ' });
    open();
    await board.untilEnded(attempt_id);
    await board.rest.refuses('message_gone', 'PUT', `${queue}/${ids[0]}`, { prompt: 'echo late' });
    expect(await allRawLines(board.kanban, attempt_id)).toEqual(['begun', 'one']);
    await board.rest.answers(200, 'POST', `/api/attempts/${other.attempt_id}/stop`, { force: true });
  });

  it('runs a changed message in the name of who changed it', async () => {
    const { attempt_id, queue, ids, open } = await givenQueue(['echo one']);
    await board.as('grace').does('PUT', `${queue}/${ids[0]}`, { prompt: 'echo of grace' });
    open();
    expect(await linesOnceEnded(attempt_id)).toEqual(['begun', 'of grace']);
    const rows = await board.server.query<{ actor: string }>(
      `SELECT actor FROM audit_log WHERE action = 'run_started' AND details ->> 'attempt_id' = $1 ORDER BY number`,
      [attempt_id],
    );
    expect(rows.at(-1)).toEqual({ actor: '@grace' });
  });
});
