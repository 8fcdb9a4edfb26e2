import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { Board } from '../../support/board-fixture.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});
const post = (path: string, body: Json) => board.rest.answers(200, 'POST', path, body);
const stop = (attempt_id: string, body: Json = {}) => post(`/api/attempts/${attempt_id}/stop`, body);

describe('follow-ups over REST', () => {
  it('are sent by attempt or by session, and told in the transcript', async () => {
    const { attempt_id, session_id } = await board.endedAttempt(project_id, 'echo one');
    const sent = await post(`/api/attempts/${attempt_id}/follow-up`, { action: 'send', prompt: 'echo two' });
    expect(sent).toEqual({
      session_id,
      action: 'send',
      execution_process_id: expect.any(String),
      queue_status: 'empty',
      queue_length: 0,
      queued_message: null,
    });
    await board.untilEnded(attempt_id as string);
    await post(`/api/sessions/${session_id}/follow-up`, { action: 'send', prompt: 'echo three' });
    await board.untilEnded(attempt_id as string);
    const { page } = await board.rest.answers(200, 'GET', `/api/sessions/${session_id}/messages`);
    expect(page.entries.map((turn: Json) => [turn.entry_index, turn.summary, turn.status])).toEqual([
      [0, 'one', 'completed'],
      [1, 'two', 'completed'],
      [2, 'three', 'completed'],
    ]);
    expect(page).toMatchObject({ has_more: false, next_cursor: null });
    const newest = (await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/messages?limit=2`)).page;
    expect([newest.entries.length, newest.has_more, newest.next_cursor]).toEqual([2, true, 1]);
    const older = (
      await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/messages?limit=2&cursor=${newest.next_cursor}`)
    ).page;
    expect(older.entries.map((turn: Json) => turn.summary)).toEqual(['one']);
  });

  it('wait in a queue that is shown and emptied', async () => {
    const { attempt_id, session_id } = await board.attempt(project_id, 'sleep 60');
    const queue = `/api/sessions/${session_id}/queue`;
    expect(await board.rest.answers(200, 'GET', queue)).toEqual({
      session_id,
      queue_status: 'empty',
      queue_length: 0,
      queued_message: null,
      messages: [],
    });
    await post(`/api/attempts/${attempt_id}/follow-up`, { action: 'queue', prompt: 'echo first' });
    const queued = await post(`/api/sessions/${session_id}/follow-up`, { action: 'queue', prompt: 'echo second' });
    expect(queued).toMatchObject({
      queue_status: 'queued',
      queue_length: 2,
      execution_process_id: null,
      queued_message: { session_id, message: 'echo second' },
    });
    expect(await board.rest.answers(200, 'GET', queue)).toEqual({
      session_id,
      queue_status: 'queued',
      queue_length: 2,
      queued_message: expect.objectContaining({ message: 'echo first' }),
      messages: ['echo first', 'echo second'].map((prompt) => ({
        message_id: expect.any(String),
        prompt,
        goes_first: false,
      })),
    });
    expect(await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}`)).toMatchObject({
      has_queued_message: true,
    });
    expect(await board.rest.answers(200, 'DELETE', queue)).toEqual({
      session_id,
      queue_status: 'empty',
      queue_length: 0,
      queued_message: null,
      messages: [],
    });
    expect(await board.rest.answers(200, 'DELETE', queue)).toMatchObject({ queue_status: 'empty' });
    await stop(attempt_id, { force: true });
  });

  it('are refused while a run is live, with the three ways out as REST paths', async () => {
    const { attempt_id } = await board.attempt(project_id, 'sleep 60');
    const refusal = await board.rest.refuses('session_busy', 'POST', `/api/attempts/${attempt_id}/follow-up`, {
      action: 'send',
      prompt: 'true',
    });
    expect(refusal).toMatchObject({ status: 409, retryable: true });
    for (const way of ['/follow-up', '/stop', 'wait_ms']) expect(refusal.hint).toContain(way);
    await board.rest.refuses('session_busy', 'POST', `/api/attempts/${attempt_id}/sessions`, { executor: 'SHELL' });
    await stop(attempt_id, { force: true });
  });

  it.each([
    ['send without a prompt', { action: 'send' }, 'prompt is required when action=send'],
    ['queue with a blank prompt', { action: 'queue', prompt: ' ' }, 'prompt'],
    ['cancel with a prompt', { action: 'cancel', prompt: 'x' }, 'prompt is not allowed when action=cancel'],
    ['an unknown action', { action: 'resume', prompt: 'x' }, 'send, queue, cancel'],
    ['no action', { prompt: 'x' }, 'action'],
    ['an unknown field', { action: 'send', prompt: 'x', mode: 'fast' }, 'mode is not a field'],
    [
      'the attempt a second time',
      { action: 'send', prompt: 'x', attempt_id: '0198c0de-0000-7000-8000-000000000001' },
      'given by the path',
    ],
  ])('are refused for %s', async (_, body, message) => {
    const { attempt_id } = await board.endedAttempt(project_id);
    expect(
      (await board.rest.refuses('invalid_argument', 'POST', `/api/attempts/${attempt_id}/follow-up`, body)).message,
    ).toContain(message);
  });

  it('refuse two targets, and say how to stop when that was meant', async () => {
    const { attempt_id, session_id } = await board.endedAttempt(project_id);
    await board.rest.refuses('ambiguous_target', 'POST', `/api/attempts/${attempt_id}/follow-up`, {
      action: 'send',
      prompt: 'x',
      session_id,
    });
    await board.rest.refuses(
      'ambiguous_target',
      'GET',
      `/api/sessions/${session_id}/messages?attempt_id=${attempt_id}`,
    );
    const { hint } = await board.rest.refuses('invalid_argument', 'POST', `/api/attempts/${attempt_id}/follow-up`, {
      action: 'stop',
    });
    expect(hint).toContain('POST /api/attempts/{attempt_id}/stop');
    await board.rest.refuses('variant_unknown', 'POST', `/api/sessions/${session_id}/follow-up`, {
      action: 'send',
      prompt: 'x',
      variant: 'FAST',
    });
  });
});

describe('a transcript of long texts', () => {
  it('cuts each, and ends as an answer does, unless more than usual is asked for', async () => {
    const long = (word: string): string => `: ${'x'.repeat(20_000)}; echo ${word}`;
    const { attempt_id, session_id } = await board.endedAttempt(project_id, 'true', { prompt: long('one') });
    for (const word of ['two', 'three', 'four']) {
      await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: long(word) });
      await board.untilEnded(attempt_id as string);
    }
    const read = async (query: string): Promise<Json> =>
      (await board.rest.answers(200, 'GET', `/api/sessions/${session_id}/messages${query}`)).page as Json;
    const newest = await read('');
    expect(newest.entries.map(({ summary }: Json) => summary as string)).toEqual(['two', 'three', 'four']);
    expect(newest.entries[0].prompt).toMatch(/^: x+… \[cut after 8 KB of 20]$/);
    expect(await read(`?cursor=${newest.next_cursor}`)).toMatchObject({ entries: [{ summary: 'one' }] });
    const whole = await read('?limit=21');
    expect(whole.entries.map(({ prompt }: Json) => prompt as string)).toEqual(
      ['one', 'two', 'three', 'four'].map(long),
    );
  });
});

describe('a stop over REST', () => {
  it('ends the run, says what it did, and is idempotent', async () => {
    const { attempt_id, execution_process_id } = await board.attempt(project_id, 'sleep 60');
    expect(await stop(attempt_id)).toEqual({
      attempt_id,
      force: false,
      stopped: true,
      is_stopping: false,
      dropped_messages: 0,
      state: 'failed',
      execution_process_id,
    });
    expect(await board.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/stop`)).toMatchObject({
      stopped: false,
      state: 'failed',
      execution_process_id: null,
    });
    expect(await stop(attempt_id, { force: true })).toMatchObject({ force: true, stopped: false });
    await board.rest.refuses('invalid_argument', 'POST', `/api/attempts/${attempt_id}/stop`, { force: 'yes' });
  });
});
