import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate, givenAttempt, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { givenRepos, runsOf } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

describe('setup, agent and cleanup run one after another', () => {
  const server = TestServer.share();
  let client: McpClient;

  beforeAll(async () => {
    client = await server.mcp();
  });

  async function followUp(attempt_id: string, prompt: string): Promise<Json> {
    await client.call('follow_up', { attempt_id, action: 'send', prompt });
    return untilEnded(client, attempt_id);
  }

  it('runs the scripts of one repository around the agent, in its worktree, as runs of their own', async () => {
    const project_id = await givenRepos(server, [
      {
        name: 'web',
        setup_script: 'echo setup in $(basename "$PWD"); echo made > setup.txt',
        cleanup_script: 'echo cleanup sees $(cat agent.txt)',
      },
    ]);
    const { attempt_id } = await givenAttempt(
      client,
      project_id,
      'echo agent sees $(cat setup.txt); echo work > agent.txt',
    );
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      run_reason: 'cleanupscript',
      final_message: 'agent sees made',
      failure_summary: null,
    });
    expect(await allRawLines(client, attempt_id)).toEqual(['setup in web', 'agent sees made', 'cleanup sees work']);
    expect(await runsOf(server, attempt_id)).toEqual([
      'setupscript web completed',
      'codingagent completed',
      'cleanupscript web completed',
    ]);
  });

  it('tells in the log whose script runs, and which run said what', async () => {
    const project_id = await givenRepos(server, [{ name: 'api', setup_script: 'echo preparing' }]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo working');
    await untilEnded(client, attempt_id);
    const { page } = await client.call('tail_attempt_logs', { attempt_id, after_entry_index: -1 });
    const entries = page.entries as Json[];
    expect(entries.map(({ entry }) => [entry.type, entry.content])).toEqual([
      ['system_message', 'Running the setup script of api.'],
      ['assistant_message', 'preparing'],
      ['user_message', 'Say hello\n\necho working'],
      ['assistant_message', 'working'],
    ]);
    expect(entries.map(({ entry_index }) => entry_index)).toEqual([0, 1, 2, 3]);
    const [setup, turn] = (
      await server.query<{ id: string }>('SELECT id FROM executions WHERE attempt_id = $1 ORDER BY number', [
        attempt_id,
      ])
    ).map(({ id }) => id);
    expect(entries.map(({ execution_process_id }) => execution_process_id)).toEqual([setup, setup, turn, turn]);
  });

  it('takes several repositories in their order, and leaves out those without a script', async () => {
    const project_id = await givenRepos(server, [
      { name: 'one', setup_script: 'echo setup $(basename "$PWD")' },
      { name: 'two', cleanup_script: 'echo cleanup $(basename "$PWD")' },
      {
        name: 'three',
        setup_script: 'echo setup $(basename "$PWD")',
        cleanup_script: 'echo cleanup $(basename "$PWD")',
      },
    ]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo agent above $(ls | paste -sd " ")');
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
    expect(await allRawLines(client, attempt_id)).toEqual([
      'setup one',
      'setup three',
      'agent above one three two',
      'cleanup two',
      'cleanup three',
    ]);
    expect(await runsOf(server, attempt_id)).toEqual([
      'setupscript one completed',
      'setupscript three completed',
      'codingagent completed',
      'cleanupscript two completed',
      'cleanupscript three completed',
    ]);
  });

  it('does not repeat a setup that went well, and cleans up after each good turn', async () => {
    const project_id = await givenRepos(server, [
      { name: 'web', setup_script: 'echo setup', cleanup_script: 'echo cleanup' },
    ]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo first');
    await untilEnded(client, attempt_id);
    expect(await followUp(attempt_id, 'echo second')).toMatchObject({ state: 'completed', final_message: 'second' });
    expect(await allRawLines(client, attempt_id)).toEqual(['setup', 'first', 'cleanup', 'second', 'cleanup']);
  });

  it('does not clean up after a turn that failed', async () => {
    const project_id = await givenRepos(server, [{ name: 'web', cleanup_script: 'echo cleanup' }]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo broken; exit 3');
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      run_reason: 'codingagent',
      failure_summary: 'failed (exit_code=3)',
      final_message: 'broken',
    });
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed']);
  });

  it('fails the attempt with its setup; a later follow-up tries only what has not yet succeeded', async () => {
    const project_id = await givenRepos(server, [
      { name: 'good', setup_script: 'echo good' },
      { name: 'bad', setup_script: 'exit 1' },
    ]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo agent');
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      run_reason: 'setupscript',
      failure_summary: 'failed (exit_code=1)',
      final_message: null,
    });
    expect(await runsOf(server, attempt_id)).toEqual(['setupscript good completed', 'setupscript bad failed']);

    expect(await followUp(attempt_id, 'echo not reached')).toMatchObject({
      state: 'failed',
      run_reason: 'setupscript',
    });
    await server.query("UPDATE repos SET setup_script = 'echo mended' WHERE project_id = $1 AND name = 'bad'", [
      project_id,
    ]);
    expect(await followUp(attempt_id, 'echo told')).toMatchObject({ state: 'completed', final_message: 'told' });
    expect(await runsOf(server, attempt_id)).toEqual([
      'setupscript good completed',
      'setupscript bad failed',
      'setupscript bad failed',
      'setupscript bad completed',
      'codingagent completed',
    ]);
  });

  it('fails the attempt with its cleanup, and keeps the answer of the turn', async () => {
    const project_id = await givenRepos(server, [{ name: 'web', cleanup_script: 'echo untidy >&2; exit 7' }]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo answer');
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      run_reason: 'cleanupscript',
      failure_summary: 'failed (exit_code=7)',
      final_message: 'answer',
    });
  });

  it('is never seen idle, ended or without a run between two steps', async () => {
    const project_id = await givenRepos(server, [
      { name: 'web', setup_script: 'true', cleanup_script: 'true' },
      { name: 'api', setup_script: 'true', cleanup_script: 'true' },
    ]);
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project_id, wait);
    const seen = new Set<string>();
    for (;;) {
      const { state, status } = (
        await server.query<{ state: string; status: string }>(
          'SELECT s.state, t.status FROM attempt_summaries s JOIN tasks t ON t.id = s.task_id WHERE s.attempt_id = $1',
          [attempt_id],
        )
      )[0]!;
      seen.add(`${state} ${status}`);
      open();
      if (state !== 'running') break;
    }
    expect([...seen]).toEqual(['running inprogress', 'completed inreview']);
    expect(await runsOf(server, attempt_id)).toHaveLength(5);
  });
});
