import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allRawLines, givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { eventsOf, givenRepos, runsOf, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

const LOST = 'runner lost: the server was shut down';
const ENDLESS = 'echo ready; sleep 600';

describe('a restart in order', () => {
  let server: TestServer;
  let client: McpClient;
  let project_id: string;

  beforeEach(async () => {
    server = await TestServer.start({ MAX_CONCURRENT_EXECUTIONS: '2' });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterEach(() => server.stop());

  async function given(script: string, project = project_id): Promise<string> {
    const { attempt_id } = await givenAttempt(client, project, script);
    await untilSaid(client, attempt_id as string, 'ready');
    return attempt_id as string;
  }

  async function restart(): Promise<void> {
    server = await server.restart();
    client = await server.mcp();
  }

  it('keeps the message behind the run that it cuts short, and runs it afterwards', async () => {
    const attempt_id = await given(ENDLESS);
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo kept' });
    await restart();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: 'kept',
      has_queued_message: false,
    });
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed', 'codingagent completed']);
    expect(await server.query('SELECT failure_summary FROM executions ORDER BY number LIMIT 1')).toEqual([
      { failure_summary: LOST },
    ]);
    expect((await eventsOf(server, attempt_id)).filter((event) => event.includes('dropped'))).toEqual([]);
  });

  it('does not believe a run that says it is done when it is told to end', async () => {
    const attempt_id = await given('trap "echo goodbye; exit 0" INT TERM; echo ready; while :; do sleep 0.1; done');
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo kept' });
    await restart();
    await untilEnded(client, attempt_id);
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed', 'codingagent completed']);
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'goodbye', 'kept']);
  });

  it('in a setup runs neither agent nor cleanup, until it is asked again', async () => {
    const scripted = await givenRepos(server, [
      {
        name: 'web',
        setup_script: '[ -e ../seen ] && exec echo ready; touch ../seen; echo ready; sleep 600',
        cleanup_script: 'echo cleanup',
      },
    ]);
    const attempt_id = await given('echo agent', scripted);
    await restart();
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      run_reason: 'setupscript',
      failure_summary: LOST,
    });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo agent' });
    await untilEnded(client, attempt_id);
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'ready', 'agent', 'cleanup']);
  });

  it('leaves runs in the queue that have not started, and takes them afterwards', async () => {
    await given(ENDLESS);
    await given(ENDLESS);
    const waiting = await givenAttempt(client, project_id, 'echo waited for');
    await restart();
    expect(await untilEnded(client, waiting.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'waited for',
    });
  });

  it('at any moment of a chain of steps loses no message and leaves nothing running', async () => {
    const scripted = await givenRepos(server, [{ name: 'web', setup_script: 'true', cleanup_script: 'true' }]);
    for (const afterMs of [20, 90, 160, 230, 300, 370]) {
      const { attempt_id } = await givenAttempt(client, scripted, 'echo first');
      await client.call('follow_up', { attempt_id, action: 'queue', prompt: `echo message after ${afterMs}` });
      // somewhere between setup, agent and cleanup of either turn
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await restart();
      await untilEnded(client, attempt_id as string);
      const wasTold = (await allRawLines(client, attempt_id as string)).includes(`message after ${afterMs}`);
      const cutShort = await server.query(
        "SELECT 1 FROM executions WHERE attempt_id = $1 AND prompt LIKE 'echo message%' AND failure_summary = $2",
        [attempt_id, LOST],
      );
      expect(wasTold || cutShort.length > 0).toBe(true);
    }
  });
});
