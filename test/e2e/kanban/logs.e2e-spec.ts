import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  givenAttemptWithoutSession,
  givenEndedAttempt,
  givenProject,
  type Project,
  untilEnded,
} from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
let attempt_id: string;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
  ({ attempt_id } = await givenEndedAttempt(client, project.project_id, 'seq 0 449'));
});

const tail = (more: object = {}) => client.call('tail_attempt_logs', { attempt_id, channel: 'raw', ...more });
const contents = ({ page }: Json): string[] => page.entries.map((entry: Json) => entry.entry.content);
const indexes = ({ page }: Json): number[] => page.entries.map((entry: Json) => entry.entry_index);
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('Attempt log tail tool', () => {
  it('Default tail load', async () => {
    const raw = await tail();
    expect(raw).toMatchObject({
      attempt_id,
      channel: 'raw',
      state: 'completed',
      page: { has_more: true, next_cursor: 250, history_truncated: false, next_after_entry_index: 449 },
    });
    expect(indexes(raw)).toEqual(numbers(250, 449));
    expect(contents(raw)).toEqual(numbers(250, 449).map(String));
    expect(raw.page).not.toHaveProperty('execution_process_id');
    expect(raw.page.entries[0]).toMatchObject({ entry_index: 250, entry: { type: 'stdout', content: '250' } });
    expect(raw.page.entries[0].created_at ?? raw.page.created_at).toEqual(expect.any(String));
    expect(raw.page.entries[0]).not.toHaveProperty('execution_process_id');

    const normalized = await client.call('tail_attempt_logs', { attempt_id });
    expect(normalized).toMatchObject({ channel: 'normalized', page: { has_more: false, next_cursor: null } });
    expect(normalized.page.entries[0].entry).toMatchObject({ type: 'user_message', content: 'Say hello\n\nseq 0 449' });
    const said = normalized.page.entries
      .filter(({ entry }: Json) => entry.type === 'assistant_message')
      .map(({ entry }: Json) => entry.content as string);
    expect(said.join('\n').split('\n')).toEqual(numbers(0, 449).map(String));
  });

  it('gives lines as text, which can be paged as entries can', async () => {
    const { page } = await tail({ format: 'text' });
    expect(page).toMatchObject({ entries: [], has_more: true, next_cursor: 250, next_after_entry_index: 449 });
    const lines = (page.text as string).split('\n');
    expect(lines[0]).toMatch(/^# execution [0-9a-f-]{36}$/);
    expect(lines.slice(1)).toEqual(numbers(250, 449).map(String));
    const older = (await tail({ format: 'text', cursor: 250, limit: 10 })).page;
    expect(older.text.split('\n').slice(1)).toEqual(numbers(240, 249).map(String));
    const said = (await client.call('tail_attempt_logs', { attempt_id, format: 'text' })).page.text as string;
    expect(said).toContain('[user_message] Say hello');
    expect(said).toContain('[assistant_message] 0\n1\n2');
    expect(await tail()).not.toHaveProperty('page.text');
  });

  it('keeps a text below 40 KiB, and goes on where it ended', async () => {
    const wide = await givenEndedAttempt(
      client,
      project.project_id,
      `for n in $(seq 1 300); do printf '%0500d\n' $n; done`,
    );
    const read = (more: object) =>
      client.call('tail_attempt_logs', { attempt_id: wide.attempt_id, channel: 'raw', format: 'text', ...more });
    const seen: string[] = [];
    for (let after = -1; ;) {
      const { page } = await read({ after_entry_index: after, limit: 1_000 });
      expect(Buffer.byteLength(page.text as string)).toBeLessThanOrEqual(40 * 1_024);
      seen.push(...(page.text as string).split('\n').slice(1));
      after = page.next_after_entry_index as number;
      if (!page.has_more) break;
    }
    expect(seen.map(Number)).toEqual(numbers(1, 300));
  });

  it('Load older history', async () => {
    const seen: number[][] = [];
    let page = await tail({ limit: 200 });
    for (;;) {
      seen.unshift(indexes(page));
      if (!page.page.has_more) break;
      page = await tail({ limit: 200, cursor: page.page.next_cursor });
    }
    expect(seen.map((one) => [one[0], one.at(-1)])).toEqual([
      [0, 49],
      [50, 249],
      [250, 449],
    ]);
    expect(seen.flat()).toEqual(numbers(0, 449));
    expect(page.page).toMatchObject({ has_more: false, next_cursor: null });
  });

  it('No process yields empty history', async () => {
    const idle = await givenAttemptWithoutSession(server, client, project.project_id);
    for (const channel of ['raw', 'normalized']) {
      const answer = await client.call('tail_attempt_logs', { attempt_id: idle.attempt_id, channel });
      expect(answer).toMatchObject({
        execution_process_id: null,
        state: 'idle',
        page: { entries: [], has_more: false, next_cursor: null, history_truncated: false, next_after_entry_index: -1 },
      });
    }
  });

  it('keeps the places of lines at the edges of the history', async () => {
    expect((await tail({ cursor: 0 })).page).toMatchObject({ entries: [], has_more: false, next_cursor: null });
    expect(indexes(await tail({ cursor: 1 }))).toEqual([0]);
    expect(indexes(await tail({ cursor: 100_000, limit: 2 }))).toEqual([448, 449]);
    expect((await tail({ after_entry_index: 449 })).page).toMatchObject({
      entries: [],
      has_more: false,
      next_cursor: null,
      next_after_entry_index: 449,
    });
    expect((await tail({ after_entry_index: 447, limit: 1 })).page).toMatchObject({
      entries: [{ entry_index: 448 }],
      has_more: true,
      next_cursor: null,
      next_after_entry_index: 448,
    });
  });
});

describe('Normalized pagination semantics for tailing and history', () => {
  it('Reject mixed pagination modes', async () => {
    const refused = await client.refused('tail_attempt_logs', { attempt_id, cursor: 5, after_entry_index: 2 });
    expect(refused).toMatchObject({
      code: 'mixed_pagination',
      retryable: false,
      hint: expect.stringMatching(/only one pagination mode/),
    });
    expect(refused.hint).toMatch(/cursor .*older.*after_entry_index .*newer/);
    expect(await client.refused('tail_attempt_logs', { attempt_id, cursor: 0, after_entry_index: -1 })).toMatchObject({
      code: 'mixed_pagination',
    });
  });
});

describe('Session transcript tail tool', () => {
  it('Tail transcript for latest session in attempt', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id, 'echo first');
    for (const word of ['second', 'third']) {
      await client.call('follow_up', { attempt_id: attempt.attempt_id, action: 'send', prompt: `echo ${word}` });
      await untilEnded(client, attempt.attempt_id);
    }
    const all = await client.call('tail_session_messages', { attempt_id: attempt.attempt_id });
    expect(all).toMatchObject({ session_id: attempt.session_id, page: { has_more: false, next_cursor: null } });
    expect(all.page.entries).toMatchObject([
      {
        entry_index: 0,
        turn_id: attempt.execution_process_id,
        prompt: 'Say hello\n\necho first',
        summary: 'first',
        status: 'completed',
      },
      { entry_index: 1, prompt: 'echo second', summary: 'second' },
      { entry_index: 2, prompt: 'echo third', summary: 'third' },
    ]);
    const newest = await client.call('tail_session_messages', { attempt_id: attempt.attempt_id, limit: 2 });
    expect(newest.page).toMatchObject({
      entries: [{ summary: 'second' }, { summary: 'third' }],
      has_more: true,
      next_cursor: 1,
    });
    const older = await client.call('tail_session_messages', {
      session_id: attempt.session_id,
      limit: 2,
      cursor: newest.page.next_cursor,
    });
    expect(older.page).toMatchObject({ entries: [{ summary: 'first' }], has_more: false, next_cursor: null });
  });

  it('resolves the newest of several sessions, and each by its own id', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id, 'echo old');
    const { body } = await server.rest.post(`/api/attempts/${attempt.attempt_id}/sessions`, {
      executor: 'SHELL',
      prompt: 'echo new',
    });
    await untilEnded(client, attempt.attempt_id);
    expect(await client.call('tail_session_messages', { attempt_id: attempt.attempt_id })).toMatchObject({
      session_id: body.session_id,
      page: { entries: [{ entry_index: 0, prompt: 'echo new', summary: 'new' }] },
    });
    expect(await client.call('tail_session_messages', { session_id: attempt.session_id })).toMatchObject({
      page: { entries: [{ summary: 'old' }] },
    });
  });

  it('names the tool to retry where no session exists', async () => {
    const idle = await givenAttemptWithoutSession(server, client, project.project_id);
    expect(await client.refused('tail_session_messages', { attempt_id: idle.attempt_id })).toMatchObject({
      code: 'no_session_yet',
      retryable: true,
      hint: expect.stringContaining('get_attempt_status'),
    });
  });
});
