import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { runsOf, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

const LINES = 100_000;

/** All entries of a channel, read forward page by page, with what every page said. */
async function allEntries(
  client: McpClient,
  attempt_id: string,
  channel: 'raw' | 'normalized',
): Promise<{ entries: Json[]; truncated: boolean }> {
  const entries: Json[] = [];
  for (let after = -1; ;) {
    const { page } = await client.call('tail_attempt_logs', {
      attempt_id,
      channel,
      after_entry_index: after,
      limit: 1_000,
    });
    entries.push(...(page.entries as Json[]));
    if (!page.has_more) return { entries, truncated: page.history_truncated as boolean };
    after = page.next_after_entry_index as number;
  }
}

describe('output that is hard to store', () => {
  const server = TestServer.use();
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  async function linesOf(script: string): Promise<string[]> {
    const { attempt_id, state } = await givenEndedAttempt(client, project_id, script);
    expect(state).toBe('completed');
    return allRawLines(client, attempt_id as string);
  }

  it.each([
    ['NUL bytes', `printf 'a\\0b\\n\\0\\0\\nafter\\n'`, ['a\uFFFDb', '\uFFFD\uFFFD', 'after']],
    [
      'invalid UTF-8',
      `printf 'caf\\xe9\\n\\xff\\xfe\\n\\xed\\xa0\\x80\\nafter\\n'`,
      ['caf\uFFFD', '\uFFFD\uFFFD', '\uFFFD\uFFFD\uFFFD', 'after'],
    ],
    ['a character cut in two', `printf '\\xe2\\x82'; sleep 0.2; printf '\\xac\\n'`, ['€']],
    [
      'ANSI colours and a progress bar',
      `printf '\\e[31mred\\e[0m\\n10%%\\r20%%\\r\\nafter\\n'`,
      ['\u001b[31mred\u001b[0m', '10%\r20%', 'after'],
    ],
    ['a last line without an end', `printf 'first\\nlast'`, ['first', 'last']],
    ['what looks like JSON escapes', `printf '%s\\n' '\\u0000 \\ud800 \\\\u0000'`, ['\\u0000 \\ud800 \\\\u0000']],
    ['empty lines', `printf '\\n\\n'`, ['', '']],
  ])(
    'keeps %s, replaced where a database cannot hold it, never dropped with their line',
    async (_, script, expected) => {
      expect(await linesOf(script)).toEqual(expected);
    },
  );

  it('keeps NUL and invalid bytes out of the answers without losing the answer', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project_id, `printf 'caf\\xe9 \\0 done\\n'`);
    const status = await client.call('get_attempt_status', { attempt_id });
    expect(status).toMatchObject({ state: 'completed', final_message: 'caf\uFFFD \uFFFD done' });
    expect((await allEntries(client, attempt_id as string, 'normalized')).entries.at(-1)!.entry).toEqual({
      type: 'assistant_message',
      content: 'caf\uFFFD \uFFFD done',
    });
  });

  it('cuts a line of 5 MB into parts that join to the same line, each answer within its bounds', async () => {
    const { attempt_id } = await givenEndedAttempt(
      client,
      project_id,
      `yes é | head -n 2500000 | tr -d '\\n'; echo; echo after`,
    );
    const { entries } = await allEntries(client, attempt_id as string, 'raw');
    const parts = entries.slice(0, -1).map(({ entry }) => entry as { content: string; continues?: boolean });
    expect(parts.map(({ continues }) => continues ?? false)).toEqual([
      false,
      ...Array<boolean>(parts.length - 1).fill(true),
    ]);
    expect(Math.max(...parts.map(({ content }) => Buffer.byteLength(content)))).toBeLessThanOrEqual(65_536);
    expect(parts.map(({ content }) => content).join('')).toBe('é'.repeat(2_500_000));
    expect(entries.at(-1)!.entry.content).toBe('after');
    const { page } = await client.call('tail_attempt_logs', { attempt_id, channel: 'raw', limit: 1_000 });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(320 * 1024);
    expect(page).toMatchObject({ has_more: true, next_cursor: expect.any(Number) });
  });

  it(`stores ${LINES} lines as fast as seq prints them, complete, in order and readable all the while`, async () => {
    const { attempt_id } = await givenAttempt(client, project_id, `echo start; seq ${LINES}`);
    await untilSaid(client, attempt_id as string, 'start');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    const { entries, truncated } = await allEntries(client, attempt_id as string, 'raw');
    expect([entries.length, truncated]).toEqual([LINES + 1, false]);
    expect(
      entries.findIndex(
        ({ entry_index, entry }, at) => entry_index !== at || entry.content !== (at === 0 ? 'start' : String(at)),
      ),
    ).toBe(-1);
    const normalized = (await allEntries(client, attempt_id as string, 'normalized')).entries.filter(
      ({ entry }) => entry.type === 'assistant_message',
    );
    expect(normalized.map(({ entry }) => entry.content as string).join('\n')).toBe(
      ['start', ...Array.from({ length: LINES }, (_, at) => String(at + 1))].join('\n'),
    );
    const { gaps } = (
      await server.query<{ gaps: number }>(
        `SELECT count(*)::int AS gaps
           FROM (SELECT first_index, lag(last_index, 1, -1) OVER (ORDER BY first_index) AS before
           FROM log_chunks WHERE attempt_id = $1 AND channel = 'raw') c
           WHERE first_index <> before + 1`,
        [attempt_id],
      )
    )[0]!;
    expect(gaps).toBe(0);
  });

  it('pages backwards through the same lines', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'seq 2500');
    const seen: string[] = [];
    for (let cursor: number | null | undefined; cursor !== null;) {
      const { page } = await client.call('tail_attempt_logs', {
        attempt_id,
        channel: 'raw',
        limit: 1_000,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.unshift(...(page.entries as Json[]).map(({ entry }) => entry.content as string));
      cursor = page.next_cursor as number | null;
    }
    expect(seen).toEqual(Array.from({ length: 2_500 }, (_, at) => String(at + 1)));
  });
});

describe('more output than RUN_LOG_MAX_BYTES', () => {
  const server = TestServer.use({ RUN_LOG_MAX_BYTES: '100000' });
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  it('is counted and dropped with a mark in its place, while the run goes on to its own end', async () => {
    const { attempt_id } = await givenEndedAttempt(
      client,
      project_id,
      'seq 20000; echo finished > end.txt; echo the end',
    );
    const raw = await allEntries(client, attempt_id as string, 'raw');
    const normalized = await allEntries(client, attempt_id as string, 'normalized');
    expect([raw.truncated, normalized.truncated]).toEqual([true, true]);
    expect(raw.entries.map(({ entry }) => entry.content as string)).toEqual(
      Array.from({ length: raw.entries.length }, (_, at) => String(at + 1)),
    );
    const marks = normalized.entries.filter(({ entry }) => entry.metadata?.kind === 'log_limit');
    expect(marks).toHaveLength(1);
    expect(normalized.entries.at(-1)).toEqual(marks[0]);
    const { dropped } = (
      await server.query<{ dropped: number }>(
        "SELECT dropped_entries::int AS dropped FROM log_heads WHERE attempt_id = $1 AND channel = 'raw'",
        [attempt_id],
      )
    )[0]!;
    expect(dropped + raw.entries.length).toBe(20_001);
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'completed',
      final_message: expect.stringMatching(/the end$/),
    });
    expect((await client.call('get_attempt_file', { attempt_id, path: 'web/end.txt' })).content).toBe('finished\n');
  });

  it('does not cost the next run its log', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'seq 20000');
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo heard' });
    expect(await untilSaid(client, attempt_id as string, 'heard')).toBe('heard');
    await untilEnded(client, attempt_id as string);
    expect(await runsOf(server, attempt_id as string)).toEqual(['codingagent completed', 'codingagent completed']);
  });
});
