import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

describe('the start of a runner', () => {
  let server: TestServer;
  let client: McpClient;

  beforeEach(async () => {
    server = await TestServer.start({ ROLE: 'api' });
    client = await server.mcp();
  });
  afterEach(() => server.stop());

  it('ends every leftover of its predecessor but the one that cannot be ended, and takes turns', async () => {
    const { project_id } = await givenProject(server);
    const attempts = [await givenAttempt(client, project_id), await givenAttempt(client, project_id)] as const;
    const [broken, sound] = [attempts[0].attempt_id as string, attempts[1].attempt_id as string];
    const runner_id = '0198c0de-0000-7000-8000-00000000beef';
    writeFileSync(path.join(server.environment.DATA_DIR, 'runner-id'), runner_id);
    await server.query("UPDATE executions SET status = 'running', runner_id = $1", [runner_id]);
    // its attempt is not found any more
    await server.query('UPDATE tasks SET deleted_at = now() WHERE id = $1', [attempts[0].task_id]);
    server = await server.restart({ ROLE: 'all' });
    client = await server.mcp();
    expect(await runsOf(server, broken)).toEqual(['codingagent running']);
    expect(await runsOf(server, sound)).toEqual(['codingagent failed']);
    const next = await givenAttempt(client, project_id, 'echo taken');
    expect(await untilEnded(client, next.attempt_id)).toMatchObject({ state: 'completed', final_message: 'taken' });
  });

  it('refuses a turn whose variant has left the configuration while it waited for a runner', async () => {
    const { project_id } = await givenProject(server);
    const { attempt_id } = await givenAttempt(client, project_id, 'x', {
      executor: 'DEMO',
      variant: 'APPROVALS',
      prompt: 'run echo unrestricted > leak.txt',
    });
    await server.query("UPDATE executions SET variant = 'GONE' WHERE attempt_id = $1", [attempt_id]);
    server = await server.restart({ ROLE: 'all' });
    client = await server.mcp();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'Executor DEMO has no variant GONE.',
    });
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual([]);
  });
});
