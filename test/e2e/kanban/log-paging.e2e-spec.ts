import { beforeAll, describe, expect, it } from '@jest/globals';
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
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const newer = (attempt_id: string, after_entry_index: number, more: object = {}) =>
  client.call('tail_attempt_logs', { attempt_id, channel: 'raw', after_entry_index, ...more });
const lines = (page: Json): string[] => page.entries.map((entry: Json) => entry.entry.content);
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

describe('logs, read page by page', () => {
  it('after_entry_index loses nothing when more than limit entries came at once', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'seq 1 2500');
    const first = await newer(attempt_id, 9, { limit: 300 });
    expect(lines(first.page)).toEqual(numbers(11, 310));
    expect(first.page).toMatchObject({ has_more: true, next_after_entry_index: 309 });
    expect(await allRawLines(client, attempt_id)).toEqual(numbers(1, 2500));
  });

  it('an answer that was cut at its size goes on without a gap, in both directions', async () => {
    const { attempt_id } = await givenEndedAttempt(
      client,
      project.project_id,
      'for n in $(seq 400); do printf "%04d %02000d\\n" $n 0; done',
    );
    const pages: Json[] = [];
    for (
      let page = (await newer(attempt_id, -1, { limit: 1_000 })).page;
      ;
      page = (await newer(attempt_id, page.next_after_entry_index, { limit: 1_000 })).page
    ) {
      pages.push(page);
      if (!page.has_more) break;
    }
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(400 * 1024);
    expect(pages.flatMap(lines).map((line) => line.slice(0, 4))).toEqual(
      numbers(1, 400).map((n) => n.padStart(4, '0')),
    );
    const older: Json[] = [];
    for (
      let page = (await client.call('tail_attempt_logs', { attempt_id, channel: 'raw', limit: 1_000 })).page;
      ;
      page = (
        await client.call('tail_attempt_logs', { attempt_id, channel: 'raw', limit: 1_000, cursor: page.next_cursor })
      ).page
    ) {
      older.unshift(page);
      if (!page.has_more) break;
    }
    expect(older.length).toBeGreaterThan(2);
    expect(older.flatMap(lines)).toEqual(pages.flatMap(lines));
  });

  it('indexes go on over a follow-up, so that a tailer of the first run reads the second', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id, 'seq 1 30');
    const { execution_process_id } = await client.call('follow_up', {
      attempt_id: attempt.attempt_id,
      action: 'send',
      prompt: 'seq 31 40',
    });
    await untilEnded(client, attempt.attempt_id);
    const { page } = await newer(attempt.attempt_id, 27);
    expect(
      page.entries.map((entry: Json) => [entry.entry_index, entry.entry.content, entry.execution_process_id]),
    ).toEqual([
      [28, '29', attempt.execution_process_id],
      [29, '30', attempt.execution_process_id],
      ...Array.from({ length: 10 }, (_, at) => [30 + at, String(31 + at), execution_process_id]),
    ]);
  });

  it('an entry that was read never changes, so that nothing is invisible to an after-tail', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, `echo one; ${wait}; echo two; exit 1`);
    await untilLine(client, attempt_id, 'one');
    const read = async (channel: string) =>
      (await client.call('tail_attempt_logs', { attempt_id, channel, after_entry_index: -1 })).page.entries as Json[];
    const before = { raw: await read('raw'), normalized: await read('normalized') };
    open();
    await untilEnded(client, attempt_id);
    const after = { raw: await read('raw'), normalized: await read('normalized') };
    for (const channel of ['raw', 'normalized'] as const) {
      expect(before[channel].length).toBeGreaterThan(0);
      expect(after[channel].length).toBeGreaterThan(before[channel].length);
      const said = (entries: Json[]) => entries.map(({ entry_index, entry }) => ({ entry_index, entry }));
      expect(said(after[channel].slice(0, before[channel].length))).toEqual(said(before[channel]));
    }
    expect(after.normalized.at(-1)!.entry).toMatchObject({ type: 'error_message', content: 'failed (exit_code=1)' });
  });

  it('next_cursor is null at the end, in logs, transcript and lists', async () => {
    const { project_id } = await givenProject(server, { name: 'One of everything' });
    const { attempt_id, task_id } = await givenEndedAttempt(client, project_id);
    for (const channel of ['raw', 'normalized'])
      expect((await client.call('tail_attempt_logs', { attempt_id, channel })).page).toMatchObject({
        has_more: false,
        next_cursor: null,
      });
    expect((await client.call('tail_session_messages', { attempt_id, limit: 1 })).page).toMatchObject({
      entries: [{}],
      has_more: false,
      next_cursor: null,
    });
    for (const [name, args] of [
      ['list_tasks', { project_id }],
      ['list_repos', { project_id }],
      ['list_task_attempts', { task_id }],
      ['list_projects', {}],
    ] as const) {
      expect(await client.call(name, { ...args, limit: 500 })).toMatchObject({ has_more: false, next_cursor: null });
    }
    expect(await client.call('list_tasks', { project_id, limit: 1 })).toMatchObject({
      count: 1,
      has_more: false,
      next_cursor: null,
    });
    await givenTask(client, project_id);
    expect(await client.call('list_tasks', { project_id, limit: 1 })).toMatchObject({
      count: 1,
      has_more: true,
      next_cursor: expect.any(Number),
    });
  });

  it('last_activity_at moves while a run speaks', async () => {
    const { wait, open } = gate(server);
    const end = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, `echo one; ${wait}; echo two; ${end.wait}`);
    const activityAfter = async (line: string): Promise<number> => {
      await untilLine(client, attempt_id, line);
      const status = await client.call('get_attempt_status', { attempt_id });
      expect(status.state).toBe('running');
      return Date.parse(status.last_activity_at as string);
    };
    const first = await activityAfter('one');
    open();
    expect(await activityAfter('two')).toBeGreaterThan(first);
    end.open();
    await untilEnded(client, attempt_id);
  });

  it('output is written once, many lines a row', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'seq 3000');
    const chunks = await server.query<{ first_index: string; last_index: string; count: number }>(
      `SELECT first_index, last_index, jsonb_array_length(entries) AS count FROM log_chunks
         WHERE attempt_id = $1 AND channel = 'raw' ORDER BY first_index`,
      [attempt_id],
    );
    expect(chunks.reduce((sum, { count }) => sum + count, 0)).toBe(3000);
    expect(chunks.length).toBeLessThan(100);
    for (const { first_index, last_index, count } of chunks)
      expect(Number(last_index) - Number(first_index) + 1).toBe(count);
  });

  it('between the history and what is new, no entry is lost and none comes twice', async () => {
    const attempt = await givenAttempt(
      client,
      project.project_id,
      'for n in $(seq 200); do echo $n; sleep 0.005; done',
    );
    const seen: string[] = [];
    for (let after = -1; ;) {
      const { page, state } = await newer(attempt.attempt_id, after, { wait_ms: 10_000 });
      seen.push(...lines(page));
      after = page.next_after_entry_index as number;
      if (state !== 'running' && !page.has_more) break;
    }
    expect(seen).toEqual(numbers(1, 200));
  });
});
