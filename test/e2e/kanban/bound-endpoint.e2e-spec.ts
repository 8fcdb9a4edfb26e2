import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAjv } from '../../../src/platform/fields/input-parser.js';
import { Board } from '../../support/board-fixture.js';
import { type Json, McpClient } from '../../support/mcp-client.js';

describe('an endpoint that is bound to an attempt', () => {
  const board = Board.share();
  let attempt_id: string;
  let other: string;
  let bound: McpClient;

  beforeAll(async () => {
    const { project_id } = await board.project();
    ({ attempt_id } = await board.endedAttempt(project_id, 'echo bound; echo new > new.txt'));
    ({ attempt_id: other } = await board.endedAttempt(project_id, 'echo other'));
    bound = await McpClient.connect(`${board.server.url}/mcp?attempt_id=${attempt_id}`);
  });
  afterAll(() => bound.close());

  it('means its attempt where a tool that reads is told none, and the one that is said', async () => {
    expect(await bound.call('get_attempt_status')).toMatchObject({ attempt_id, state: 'completed' });
    expect((await bound.call('get_attempt_changes')).files).toEqual(['web/new.txt']);
    expect((await bound.call('get_attempt_file', { path: 'web/new.txt' })).content).toBe('new\n');
    expect((await bound.call('tail_session_messages')).page.entries).toHaveLength(1);
    expect(await bound.call('get_attempt_status', { attempt_id: other })).toMatchObject({ attempt_id: other });
  });

  it('counts as the one target of a message', async () => {
    const { session_id } = await bound.call('follow_up', { action: 'send', prompt: 'echo more' });
    await board.untilEnded(attempt_id);
    const again = await bound.call('follow_up', { action: 'send', prompt: 'echo again', session_id });
    expect(again.session_id).toBe(session_id);
    await board.untilEnded(attempt_id);
    const both = await bound.refused('follow_up', { action: 'send', prompt: 'echo', session_id, attempt_id });
    expect(both.code).toBe('ambiguous_target');
  });

  it('wants to be told what is stopped or delivered', async () => {
    for (const [tool, more] of [
      ['stop_attempt', {}],
      ['merge_attempt', {}],
      ['push_attempt', {}],
      ['open_pull_request', { action: 'open' }],
    ] as const)
      expect(await bound.refused(tool, more)).toMatchObject({
        code: 'invalid_argument',
        details: { fields: [{ field: 'attempt_id' }] },
      });
  });

  it.each(['portable', 'oneof', 'flat'])('publishes that in the %s schemas', async (profile) => {
    const listed = async (query: string) => {
      const client = await McpClient.connect(`${board.server.url}/mcp?schema=${profile}${query}`);
      const { tools } = await client.sdk.listTools();
      await client.close();
      return new Map(tools.map(({ name, inputSchema }) => [name, inputSchema as Json]));
    };
    const [plain, here] = [await listed(''), await listed(`&attempt_id=${attempt_id}`)];
    const takes = (tools: Map<string, Json>, name: string, args: object) => createAjv().compile(tools.get(name)!)(args);
    expect(takes(here, 'get_attempt_status', {})).toBe(true);
    expect(takes(plain, 'get_attempt_status', {})).toBe(false);
    const message = { action: 'send', prompt: 'echo' };
    expect(takes(here, 'follow_up', message)).toBe(true);
    expect(takes(here, 'follow_up', { ...message, session_id: attempt_id })).toBe(true);
    expect(takes(plain, 'follow_up', message)).toBe(profile === 'flat');
    expect(takes(here, 'merge_attempt', {})).toBe(false);
  });
});
