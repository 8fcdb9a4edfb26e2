import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Board, nowhere } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();

const data = async (name: string, args: object = {}): Promise<Json> =>
  (await board.colibri.call(name, args)).data as Json;
const task = async (): Promise<string> => (await data('task_create', { title: 'Think' })).id as string;
const think = (task_id: string, content = 'Tests pass.', more: object = {}): Promise<Json> =>
  data('thought_record', { task_id, type: 'reflection', agent_id: '@claude', content, ...more });
const records = async (task_id: string): Promise<Json[]> =>
  (await data('thought_record_list', { task_id })).records as Json[];
const verify = (task_id?: string): Promise<Json> => data('audit_verify_chain', { task_id });
/** Of the record that $1 names. */
const TASK_OF = '(SELECT task_id FROM thought_records WHERE id = $1)';
const NUMBER_OF = '(SELECT number FROM thought_records WHERE id = $1)';
const sound = (record_count: number) => ({ valid: true, record_count, broken_count: 0, first_broken_at: null });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Written out once more: SHA-256 of the canonical JSON of every field. */
const hash = (record: Json, position = 1) => {
  const { agent_id, content, id, prev_hash, recorded_by, session_id, task_id, timestamp, type } = record;
  return sha256(
    `{"agent_id":${JSON.stringify(agent_id)},"content":${JSON.stringify(content)},"id":"${id}",` +
      `"position":"${position}","prev_hash":"${prev_hash}","recorded_by":${JSON.stringify(recorded_by)},` +
      `"session_id":${JSON.stringify(session_id)},"task_id":"${task_id}","timestamp":"${timestamp}",` +
      `"type":"${type}","version":2}`,
  );
};
/** As releases before wrote it. */
/** Removes records together with what the database keeps of them, which only its owner can. */
const forget = async (task_id: string): Promise<void> => {
  await board.server.query('DELETE FROM thought_records WHERE task_id = $1', [task_id]);
  await board.server.query('DELETE FROM thought_heads WHERE task_id = $1', [task_id]);
};

describe('thought_record', () => {
  it('is listed as far as an answer goes, whole where more are asked for', async () => {
    const task_id = await task();
    for (let left = 4; left > 0; left -= 1) await think(task_id, 'x'.repeat(15_000));
    const list = async (more: object = {}) => data('thought_record_list', { task_id, ...more });
    const first = await list();
    expect([first.records.length, first.total_count, first.has_more]).toEqual([2, 4, true]);
    expect((await list({ cursor: first.next_cursor })).records).toHaveLength(2);
    expect((await list({ limit: 101 })).records).toHaveLength(4);
  });

  it('writes a record at the end of the chain of its task', async () => {
    const task_id = await task();
    const first = await think(task_id, 'Grüße,\n"世界" 😀', { type: 'plan', session_id: 'session-7' });
    expect(first).toEqual({
      id: expect.any(String),
      task_id,
      type: 'plan',
      agent_id: '@claude',
      recorded_by: '@colibri',
      content: 'Grüße,\n"世界" 😀',
      session_id: 'session-7',
      timestamp: expect.stringMatching(/Z$/),
      prev_hash: '0'.repeat(64),
      hash: hash(first),
    });
    const second = await think(task_id);
    expect([second.prev_hash, second.hash, second.session_id]).toEqual([first.hash, hash(second, 2), null]);
    expect(await records(task_id)).toEqual([first, second]);
    expect(await verify(task_id)).toEqual(sound(2));
  });

  it('takes an id in any case; the chain stays valid', async () => {
    const task_id = await task();
    expect(await think(task_id.toUpperCase())).toMatchObject({ task_id });
    expect(await verify(task_id)).toEqual(sound(1));
  });

  it('about a task that is not there is an inner ERR_NOT_FOUND', async () => {
    for (const id of [nowhere, 'task-7'])
      expect(await think(id)).toMatchObject({
        ok: false,
        error: { code: 'ERR_NOT_FOUND', message: `Task not found: ${id}`, taskId: id },
      });
  });

  it.each([
    ['type', 'thought'],
    ['agent_id', ' '],
    ['content', ''],
    ['content', ' \n '],
    ['task_id', ''],
  ])('with %s %j is INVALID_PARAMS', async (field, value) => {
    expect(
      await board.colibri.refused('thought_record', {
        task_id: nowhere,
        type: 'plan',
        agent_id: 'x',
        content: 'x',
        [field]: value,
      }),
    ).toMatchObject({ ok: false, error: { code: 'INVALID_PARAMS', details: { issues: [{ field }] } } });
  });

  it('is written and read over REST, too', async () => {
    const task_id = await task();
    const place = `/api/tasks/${task_id}/thought-records`;
    const record = await board.rest.does('POST', place, { type: 'decision', agent_id: 'ada', content: 'Ship it.' });
    expect(await board.rest.does('GET', place)).toMatchObject({ records: [record], total_count: 1, has_more: false });
    expect(await data('task_update', { id: task_id, patch: { status: 'DONE' } })).toMatchObject({ status: 'DONE' });
    expect(
      await board.rest.refused('POST', `/api/tasks/${nowhere}/thought-records`, {
        type: 'plan',
        agent_id: 'x',
        content: 'x',
      }),
    ).toMatchObject({ status: 404, code: 'task_not_found' });
  });
});

describe('thought_record_list', () => {
  it('answers 100 in the order of writing unless asked, 500 at most, and counts all', async () => {
    const task_id = await task();
    for (let number = 0; number < 3; number += 1) await think(task_id, `thought ${number}`);
    const page = await data('thought_record_list', { task_id, limit: 2 });
    expect([(page.records as Json[]).map(({ content }) => content as string), page.total_count]).toEqual([
      ['thought 0', 'thought 1'],
      3,
    ]);
    await board.server.query(
      `INSERT INTO thought_records
           (id, task_id, position, type, agent_id, recorded_by, content, timestamp, version, prev_hash, hash)
         SELECT gen_random_uuid(), $1, n, 'plan', 'x', 'x', 'x', '2026-01-01T00:00:00.000Z', 2, 'x', 'x'
         FROM generate_series(1, 600) n`,
      [task_id],
    );
    const size = async (args: object) =>
      ((await data('thought_record_list', { task_id, ...args })).records as Json[]).length;
    expect([await size({}), await size({ limit: 9_999 })]).toEqual([100, 500]);
    await forget(task_id);
  });

  it('without a task lists those of all tasks', async () => {
    const [first, second] = [await think(await task()), await think(await task())];
    const all = (await data('thought_record_list', { limit: 500 })).records as Json[];
    expect(all.slice(-2)).toEqual([first, second]);
  });
});

describe('the hash chain', () => {
  it('is valid under 20 parallel writers of one task', async () => {
    const task_id = await task();
    await Promise.all(Array.from({ length: 20 }, (_, index) => think(task_id, `thought ${index}`)));
    const chain = await records(task_id);
    expect(new Set(chain.map(({ content }) => content as string)).size).toBe(20);
    expect(chain.map(({ prev_hash }) => prev_hash as string)).toEqual([
      '0'.repeat(64),
      ...chain.slice(0, -1).map((record) => record.hash as string),
    ]);
    expect(await verify(task_id)).toEqual(sound(20));
  });

  it('is one for each task, so that writers of many tasks do not mix', async () => {
    const tasks = await Promise.all(Array.from({ length: 4 }, task));
    await Promise.all(tasks.flatMap((task_id) => Array.from({ length: 5 }, () => think(task_id))));
    for (const task_id of tasks) expect(await verify(task_id)).toEqual(sound(5));
    expect(await verify()).toMatchObject({ valid: true, broken_count: 0 });
  });

  it('of a task without records is valid, of no task is not found', async () => {
    expect(await verify(await task())).toEqual(sound(0));
    expect(await verify(nowhere)).toMatchObject({ ok: false, error: { code: 'ERR_NOT_FOUND' } });
  });

  it('stays in the check of all when its task is deleted', async () => {
    const task_id = await task();
    await think(task_id);
    const { record_count } = await verify();
    await board.kanban.call('delete_task', { task_id });
    expect(await verify()).toEqual(sound(record_count as number));
  });

  it.each([
    ['a content', "UPDATE thought_records SET content = 'I never said that.' WHERE id = $1", 1, 1],
    ['a type', "UPDATE thought_records SET type = 'decision' WHERE id = $1", 1, 1],
    ['a time', "UPDATE thought_records SET timestamp = '2020-01-01T00:00:00.000Z' WHERE id = $1", 1, 1],
    ['a hash', "UPDATE thought_records SET hash = repeat('a', 64) WHERE id = $1", 1, 2],
    ['a link', "UPDATE thought_records SET prev_hash = repeat('a', 64) WHERE id = $1", 1, 1],
    ['an author', "UPDATE thought_records SET agent_id = '@ada' WHERE id = $1", 1, 1],
    ['who was signed in', "UPDATE thought_records SET recorded_by = '@ada' WHERE id = $1", 1, 1],
    ['a session', "UPDATE thought_records SET session_id = 'session-8' WHERE id = $1", 1, 1],
    ['a record taken out', 'DELETE FROM thought_records WHERE id = $1', 1, 1],
    ['a tail cut off', `DELETE FROM thought_records WHERE number >= ${NUMBER_OF} AND task_id = ${TASK_OF}`, 1, 3],
    ['a chain cut off whole', `DELETE FROM thought_records WHERE task_id = ${TASK_OF}`, 0, 4],
  ])('shows %s that was changed behind its back (S18)', async (_, sql, first, broken_count) => {
    const task_id = await task();
    const chain = [await think(task_id), await think(task_id), await think(task_id), await think(task_id)];
    await board.server.query(sql, [chain[1]!.id]);
    const found = { valid: false, broken_count, first_broken_at: chain[first]!.id };
    expect(await verify(task_id)).toMatchObject(found);
    expect(await verify()).toMatchObject(found);
    await forget(task_id);
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('shows the first record of a chain that was rewritten with its hashes (S18)', async () => {
    const task_id = await task();
    const chain = [await think(task_id), await think(task_id), await think(task_id)];
    let prev_hash = chain[0]!.hash as string;
    for (const [index, record] of chain.entries()) {
      if (index === 0) continue;
      const rewritten = { ...record, content: 'I never said that.', prev_hash };
      const forged = hash(rewritten, index + 1);
      await board.server.query('UPDATE thought_records SET content = $2, prev_hash = $3, hash = $4 WHERE id = $1', [
        record.id,
        rewritten.content,
        prev_hash,
        forged,
      ]);
      prev_hash = forged;
    }
    const found = { valid: false, record_count: 3, broken_count: 2, first_broken_at: chain[1]!.id };
    expect(await verify(task_id)).toEqual(found);
    await forget(task_id);
  });

  it('names who was signed in beside whom the body claims (S18)', async () => {
    const task_id = await task();
    await board.as('mallory').does('POST', `/api/tasks/${task_id}/thought-records`, {
      type: 'decision',
      agent_id: '@ada',
      content: 'Ship it.',
    });
    expect(await records(task_id)).toMatchObject([{ agent_id: '@ada', recorded_by: '@mallory' }]);
  });
});
