import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { eventsOf, givenRepos, runsOf, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

const UNTIL_GO = 'echo ready; until [ -e go ]; do sleep 0.05; done; rm go; echo went';

describe('a message queued behind a run', () => {
  const server = TestServer.share();
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  const followUp = (attempt_id: string, action: string, prompt?: string): Promise<Json> =>
    client.call('follow_up', { attempt_id, action, prompt });
  const status = (attempt_id: string): Promise<Json> => client.call('get_attempt_status', { attempt_id });

  /** Lets a script that waits for the file go on, from outside, as a person would. */
  const letGo = (attempt_id: string): void =>
    writeFileSync(path.join(server.environment.DATA_DIR, 'worktrees', attempt_id, 'web', 'go'), '');

  async function givenWaitingRun(): Promise<string> {
    const { attempt_id } = await givenAttempt(client, project_id, UNTIL_GO);
    await untilSaid(client, attempt_id as string, 'ready');
    return attempt_id as string;
  }

  it('runs when the turn has ended well, in the same session, and is then gone', async () => {
    const attempt_id = await givenWaitingRun();
    const queued = await followUp(attempt_id, 'queue', 'echo next');
    expect(queued).toMatchObject({
      queue_status: 'queued',
      queue_length: 1,
      execution_process_id: null,
      queued_message: { message: 'echo next' },
    });
    expect(await status(attempt_id)).toMatchObject({ state: 'running', has_queued_message: true });
    letGo(attempt_id);
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: 'next',
      has_queued_message: false,
    });
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'went', 'next']);
    const { page } = await client.call('tail_session_messages', { session_id: queued.session_id });
    expect(page.entries.map((turn: Json) => [turn.prompt, turn.summary])).toEqual([
      [`Say hello\n\n${UNTIL_GO}`, 'ready\nwent'],
      ['echo next', 'next'],
    ]);
  });

  it('waits behind those before it, each of which has a turn', async () => {
    const attempt_id = await givenWaitingRun();
    await followUp(attempt_id, 'queue', 'echo first');
    await followUp(attempt_id, 'queue', 'echo second');
    expect(await followUp(attempt_id, 'queue', 'echo third; exit 3')).toMatchObject({
      queue_status: 'queued',
      queue_length: 3,
      queued_message: { message: 'echo third; exit 3' },
    });
    await followUp(attempt_id, 'queue', 'echo never');
    letGo(attempt_id);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'failed', has_queued_message: false });
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'went', 'first', 'second', 'third']);
    expect((await eventsOf(server, attempt_id)).filter((text) => /dropped/.test(text))).toEqual([
      'the queued message was dropped: the run failed',
    ]);
  });

  it('can be cancelled, more than once', async () => {
    const attempt_id = await givenWaitingRun();
    await followUp(attempt_id, 'queue', 'echo never');
    await followUp(attempt_id, 'queue', 'echo nor this');
    expect(await followUp(attempt_id, 'cancel')).toMatchObject({ queue_status: 'empty', queued_message: null });
    expect(await followUp(attempt_id, 'cancel')).toMatchObject({ queue_status: 'empty', queued_message: null });
    letGo(attempt_id);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ final_message: 'ready\nwent' });
  });

  it('runs at once where nothing runs', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'echo done');
    expect(await followUp(attempt_id, 'queue', 'echo at once')).toMatchObject({
      queue_status: 'empty',
      execution_process_id: expect.any(String),
      queued_message: null,
    });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ final_message: 'at once' });
  });

  it.each([
    ['fails', 'the run failed', (attempt_id: string) => Promise.resolve(letGo(attempt_id))],
    ['is stopped', 'the attempt was stopped', (attempt_id: string) => client.call('stop_attempt', { attempt_id })],
  ])('is dropped when the turn %s, and an event says so without its text', async (_, reason, end) => {
    const { attempt_id } = await givenAttempt(client, project_id, `${UNTIL_GO}; exit 1`);
    await untilSaid(client, attempt_id, 'ready');
    await followUp(attempt_id, 'queue', 'echo secret words');
    await end(attempt_id as string);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'failed', has_queued_message: false });
    const events = await eventsOf(server, attempt_id);
    expect(events).toEqual(
      expect.arrayContaining(['a message is queued behind the run', `the queued message was dropped: ${reason}`]),
    );
    expect(events.join()).not.toContain('secret words');
    expect(await runsOf(server, attempt_id)).toHaveLength(1);
  });

  it('waits for the cleanup too, and has one of its own', async () => {
    const scripted = await givenRepos(server, [
      { name: 'web', setup_script: 'echo setup', cleanup_script: 'echo cleanup' },
    ]);
    const { attempt_id } = await givenAttempt(client, scripted, UNTIL_GO);
    await untilSaid(client, attempt_id, 'ready');
    await followUp(attempt_id, 'queue', 'echo next');
    letGo(attempt_id);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
    expect(await allRawLines(client, attempt_id)).toEqual(['setup', 'ready', 'went', 'cleanup', 'next', 'cleanup']);
  });

  it('of each of two sessions runs in its own, the older first', async () => {
    const attempt_id = await givenWaitingRun();
    const first = (await status(attempt_id)).latest_session_id as string;
    letGo(attempt_id);
    await untilEnded(client, attempt_id);
    const { body: second } = await server.rest.post(`/api/attempts/${attempt_id}/sessions`, {
      executor: 'SHELL',
      prompt: UNTIL_GO,
    });
    await client.call('follow_up', { session_id: first, action: 'queue', prompt: 'echo to the first' });
    await client.call('follow_up', { session_id: second.session_id, action: 'queue', prompt: 'echo to the second' });
    letGo(attempt_id);
    await untilEnded(client, attempt_id);
    expect((await allRawLines(client, attempt_id)).slice(-2)).toEqual(['to the first', 'to the second']);
    const turns = async (session_id: string) =>
      (await client.call('tail_session_messages', { session_id })).page.entries.map(
        (turn: Json) => turn.summary as string,
      );
    expect(await turns(first)).toEqual(['ready\nwent', 'to the first']);
    expect(await turns(second.session_id as string)).toEqual(['ready\nwent', 'to the second']);
  });
});
