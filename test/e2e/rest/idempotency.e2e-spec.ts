import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { Board } from '../../support/board-fixture.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});

const keyed = (key: string, body: Json) => [body, { 'idempotency-key': key }] as const;
const createTask = (key: string, body: Json) =>
  board.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, ...keyed(key, body));
const tasks = async () =>
  (await board.rest.answers(200, 'GET', `/api/projects/${project_id}/tasks?limit=500`)).count as number;

describe('the Idempotency-Key header', () => {
  it('makes a repeated request answer the first result and do nothing twice', async () => {
    const first = await createTask('once', { title: 'Once', description: 'x' });
    const before = await tasks();
    expect(await createTask('once', { description: 'x', title: 'Once' })).toEqual({ ...first, replayed: true });
    expect(await tasks()).toBe(before);
  });

  it('means the same as request_id over MCP', async () => {
    const { task_id } = await createTask('both-ways', { title: 'Both' });
    const client = await board.server.mcp();
    expect(await client.call('create_task', { project_id, title: 'Both', request_id: 'both-ways' })).toEqual({
      task_id,
      replayed: true,
    });
  });

  it('is not told twice and differently', async () => {
    const path = `/api/projects/${project_id}/tasks`;
    expect(
      await board.rest.refuses(
        'invalid_argument',
        'POST',
        path,
        ...keyed('in-header', { title: 'x', request_id: 'in-body' }),
      ),
    ).toMatchObject({ hint: expect.stringContaining('once'), details: { fields: [{ field: 'request_id' }] } });
    const same = await createTask('same', { title: 'Same', request_id: 'same' });
    expect(await createTask('same', { title: 'Same' })).toEqual({ ...same, replayed: true });
  });

  it('belongs to one request: another one is a conflict, another operation is not', async () => {
    const task = await createTask('mine', { title: 'One' });
    const refusal = await board.rest.refuses(
      'idempotency_conflict',
      'POST',
      `/api/projects/${project_id}/tasks`,
      ...keyed('mine', { title: 'Two' }),
    );
    expect(refusal).toMatchObject({ status: 409, retryable: false, details: { request_id: 'mine' } });
    const start = () =>
      board.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, ...keyed('mine', { executor: 'SHELL' }));
    const attempt = await start();
    expect(await start()).toEqual({ ...attempt, replayed: true });
    await board.untilEnded(attempt.attempt_id as string);
    const send = () =>
      board.rest.answers(
        200,
        'POST',
        `/api/attempts/${attempt.attempt_id}/follow-up`,
        ...keyed('mine', { action: 'send', prompt: 'echo again' }),
      );
    const sent = await send();
    await board.untilEnded(attempt.attempt_id as string);
    expect(await send()).toEqual({ ...sent, replayed: true });
    await board.untilEnded(attempt.attempt_id as string);
    const { page } = await board.rest.answers(200, 'GET', `/api/attempts/${attempt.attempt_id}/messages`);
    expect(page.entries).toHaveLength(2);
  });

  it('lets one of many requests at once do the work', async () => {
    const before = await tasks();
    const made = await Promise.all(Array.from({ length: 6 }, () => createTask('at-once', { title: 'At once' })));
    expect(new Set(made.map(({ task_id }) => task_id)).size).toBe(1);
    expect(await tasks()).toBe(before + 1);
  });

  it('is free again after a refusal', async () => {
    const { task_id } = await createTask('refused-task', { title: 'x' });
    const start = `/api/tasks/${task_id}/attempts`;
    await board.rest.refuses('executor_unknown', 'POST', start, ...keyed('refused', { executor: 'NOBODY' }));
    await board.untilEnded(
      (await board.rest.answers(201, 'POST', start, ...keyed('refused', { executor: 'SHELL' }))).attempt_id as string,
    );
  });

  it('is refused when it is too long, and counts as absent when it is blank', async () => {
    const place = `/api/projects/${project_id}/tasks`;
    await board.rest.refuses('invalid_argument', 'POST', place, ...keyed('k'.repeat(129), { title: 'x' }));
    for (const key of ['', ' '])
      expect(await createTask(key, { title: 'x' })).not.toEqual(await createTask(key, { title: 'x' }));
  });
});

describe('what became of a request', () => {
  it('is told by its key, for every operation it was used for', async () => {
    const { task_id } = await createTask('asked-later', { title: 'x' });
    const { attempt_id } = await board.rest.answers(
      201,
      'POST',
      `/api/tasks/${task_id}/attempts`,
      ...keyed('asked-later', { executor: 'SHELL' }),
    );
    const told = await board.rest.answers(200, 'GET', '/api/idempotency-keys/asked-later');
    expect(
      told.requests.map(({ operation, state, result }: Json) => [
        operation,
        state,
        result.attempt_id ?? result.task_id,
      ]),
    ).toEqual([
      ['start_task_attempt', 'completed', attempt_id],
      ['create_task', 'completed', task_id],
    ]);
    await board.untilEnded(attempt_id as string);
  });

  it.each([['ü'.repeat(128)], ['a/b?c=d%#'], ['x'.repeat(128)]])(
    'is told for any key that is allowed: %s',
    async (key) => {
      const client = await board.server.mcp();
      const { task_id } = await client.call('create_task', { project_id, title: 'x', request_id: key });
      expect(await board.rest.answers(200, 'GET', `/api/idempotency-keys/${encodeURIComponent(key)}`)).toMatchObject({
        key,
        requests: [{ result: { task_id } }],
      });
    },
  );

  it('is told to be unknown where none is known', async () => {
    expect(
      await board.rest.refuses('idempotency_key_not_found', 'GET', '/api/idempotency-keys/never-sent'),
    ).toMatchObject({ status: 404 });
    await board.rest.refuses('invalid_argument', 'GET', `/api/idempotency-keys/${'k'.repeat(129)}`);
  });
});
