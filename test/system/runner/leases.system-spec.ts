import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate, givenAttempt, givenProject, untilEnded, untilLine } from '../../support/board.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import type { McpClient } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';

describe('the lease of a turn', () => {
  let server: TestServer;
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    server = await TestServer.start({ MAX_CONCURRENT_EXECUTIONS: '1', CLUSTER_SECRET });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterAll(() => server.stop());

  it('that is lost ends its processes, and the message behind the turn runs', async () => {
    const { attempt_id, execution_process_id } = await givenAttempt(client, project_id, 'echo ready; sleep 600');
    await untilLine(client, attempt_id, 'ready');
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo kept' });
    await server.query("UPDATE runners SET seen_at = now() - interval '11 seconds'");
    await eventually('the process to end', () => processesOfRun(execution_process_id as string).length === 0);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'kept' });
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed', 'codingagent completed']);
    const [lost] = await server.query<{ failure_summary: string }>(
      'SELECT failure_summary FROM executions WHERE id = $1',
      [execution_process_id],
    );
    expect(lost?.failure_summary).toBe('runner lost: it went silent');
  });

  it('is the fence of every write: a process whose turn another took over is ended', async () => {
    const { wait, open } = gate(server);
    const { attempt_id, execution_process_id } = await givenAttempt(
      client,
      project_id,
      `trap "" INT TERM; echo ready; ${wait}; while :; do echo more; sleep 0.05; done`,
    );
    await untilLine(client, attempt_id, 'ready');
    await server.query("UPDATE executions SET job_id = gen_random_uuid(), runner_id = 'another' WHERE id = $1", [
      execution_process_id,
    ]);
    open();
    await eventually('the process to end', () => processesOfRun(execution_process_id as string).length === 0);
    expect(await allRawLines(client, attempt_id)).toEqual(['ready']);
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent running']); // its end is the other one's to write
  });

  it('is not taken for a turn that was withdrawn while it waited', async () => {
    const { wait, open } = gate(server);
    const busy = await givenAttempt(client, project_id, `echo busy; ${wait}`);
    await untilLine(client, busy.attempt_id, 'busy');
    const { attempt_id } = await givenAttempt(client, project_id, 'echo never');
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true });
    open();
    await untilEnded(client, busy.attempt_id);
    const after = await givenAttempt(client, project_id, 'echo after');
    await untilEnded(client, after.attempt_id);
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent killed']);
    expect(await allRawLines(client, attempt_id)).toEqual([]);
  });
});
