import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fastify, type FastifyInstance } from 'fastify';
import { errorHandler } from '../errors/error-handler.js';
import { MAX_BODY_VALUES, readJsonBodies, ValueCounter } from './json-body.js';

/** Values that are no list or object, and each list and object itself, as a parser would see them. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return Math.max(parts.length, 1) + parts.map(valuesIn).reduce((sum, count) => sum + count, 0);
}

/** As the text would arrive in parts of so many bytes. */
function countedIn(json: string, size: number): number {
  const counter = new ValueCounter();
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
  return counter.values;
}

describe('the values of a body', () => {
  it('are counted as a parser would count them, whatever stands in texts, and wherever the parts end', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.constantFrom(undefined, 1),
        fc.integer({ min: 1, max: 20 }),
        (value, indent, size) => {
          expect(countedIn(JSON.stringify(value, null, indent), size)).toBe(valuesIn(value));
        },
      ),
    );
  });

  it('in a text that never ends are none', () => {
    expect(countedIn('"a,b,[\\', 1)).toBe(0);
  });
});

describe('a body', () => {
  let server: FastifyInstance;
  /** Bodies, and turns of the event loop. */
  const seen: ('body' | 'turn')[] = [];
  beforeAll(() => {
    server = fastify();
    server.setErrorHandler(errorHandler(1024 * 1024));
    readJsonBodies(server);
    server.post('/same', ({ body }) => {
      seen.push('body');
      return body;
    });
  });
  afterAll(() => server.close());

  const send = (payload: string) =>
    server.inject({ method: 'POST', url: '/same', headers: { 'content-type': 'application/json' }, payload });
  const keys = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])));

  it('of as many values as are allowed is read', async () => {
    expect((await send(keys(MAX_BODY_VALUES))).body).toBe(keys(MAX_BODY_VALUES));
  });

  it('that is long has a turn of the event loop for itself', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(100_000) });
    let isOver = false;
    const turn = () => {
      seen.push('turn');
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    seen.splice(0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(long)));
    isOver = true;
    expect(answers.map(({ body }) => body === long)).toEqual(Array(8).fill(true));
    expect(seen.filter((one) => one === 'body')).toHaveLength(8);
    expect(seen.filter((one, at) => one === 'body' && seen[at - 1] === 'body')).toEqual([]);
  });

  it.each([
    ['keys', keys(MAX_BODY_VALUES + 1)],
    ['items', JSON.stringify(Array.from({ length: MAX_BODY_VALUES + 1 }, () => 1))],
    ['empty lists', `[${'[],'.repeat(MAX_BODY_VALUES)}[]]`],
    ['keys, and no end', keys(MAX_BODY_VALUES + 1).slice(0, -1)],
  ])('of more %s is refused with the limit, unread', async (_, payload) => {
    const answer = await send(payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`body must hold at most ${MAX_BODY_VALUES} values`),
      details: { fields: [{ field: 'body' }] },
    });
  });
});
