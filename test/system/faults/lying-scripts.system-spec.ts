import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { isLive, processesOfRun, processOfRun } from '../../support/eventually.js';
import type { McpClient } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

describe('scripts that hang, lie or leave things behind', () => {
  const server = TestServer.use();
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  it('believes the process, not its output: who closes stdout and lives on is still running', async () => {
    const { attempt_id, execution_process_id } = await givenAttempt(
      client,
      project_id,
      'echo bye; exec >&- 2>&-; until [ -e go ]; do sleep 0.05; done; exit 4',
    );
    await untilSaid(client, attempt_id as string, 'bye');
    expect(await client.call('get_attempt_status', { attempt_id, wait_ms: 1_500 })).toMatchObject({ state: 'running' });
    expect(processesOfRun(execution_process_id as string)).not.toEqual([]);
    writeFileSync(path.join(server.environment.DATA_DIR, 'worktrees', attempt_id as string, 'web/go'), '');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: 'failed (exit_code=4)',
      final_message: 'bye',
    });
  });

  it('ends with the process though a daemon holds its output, and takes the daemon along', async () => {
    const { wait, open } = gate(server);
    const { attempt_id, execution_process_id } = await givenAttempt(
      client,
      project_id,
      `setsid bash -c 'echo "daemon $$"; exec sleep 600' & ${wait}; echo done`,
    );
    const own = Number((await untilSaid(client, attempt_id as string, 'daemon')).split(' ')[1]);
    const daemon = await processOfRun(execution_process_id as string, own);
    expect(isLive(daemon)).toBe(true);
    open();
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    expect([isLive(daemon), processesOfRun(execution_process_id as string)]).toEqual([false, []]);
  });

  it('takes a fork bomb of the small kind along', async () => {
    const { attempt_id, execution_process_id } = await givenAttempt(
      client,
      project_id,
      `for i in $(seq 40); do setsid sleep 600 & done; echo forked; wait`,
    );
    await untilSaid(client, attempt_id as string, 'forked');
    await client.call('stop_attempt', { attempt_id, force: true });
    expect(processesOfRun(execution_process_id as string)).toEqual([]);
  });

  it('can be stopped while it floods', async () => {
    const { attempt_id, execution_process_id } = await givenAttempt(client, project_id, 'yes flood');
    await untilSaid(client, attempt_id as string, 'flood');
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true, state: 'failed' });
    expect(processesOfRun(execution_process_id as string)).toEqual([]);
  });

  it('may remove its own worktree: reads say so, and the next turn has it back from its branch', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'rm -rf "$PWD"; echo gone');
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'completed',
      final_message: 'gone',
    });
    expect(await client.refused('get_attempt_changes', { attempt_id })).toMatchObject({ code: 'workspace_lost' });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo back' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed', final_message: 'back' });
    expect((await client.call('get_attempt_file', { attempt_id, path: 'web/readme.md' })).content).toBe('# hello\n');
  });
});

describe('a script without walls around it', () => {
  const server = TestServer.use({ ISOLATION: 'none' });

  it('ends too where a daemon hid itself from it, and says nothing of what that writes later', async () => {
    const client = await server.mcp();
    const { project_id } = await givenProject(server);
    const { attempt_id, state } = await givenEndedAttempt(
      client,
      project_id,
      `setsid env -i /bin/bash -c 'echo "hidden $$"; for i in $(seq 100); do sleep 0.1; echo still here; done' ` +
        `& sleep 0.2; echo done`,
    );
    expect(state).toBe('completed');
    const lines = await allRawLines(client, attempt_id as string);
    const hidden = Number(lines.find((line) => line.startsWith('hidden'))!.split(' ')[1]);
    try {
      await client.call('follow_up', { attempt_id, action: 'send', prompt: 'sleep 0.5; echo next' });
      await untilEnded(client, attempt_id as string);
      expect((await allRawLines(client, attempt_id as string)).slice(lines.length)).toEqual(['next']);
    } finally {
      if (isLive(hidden)) process.kill(hidden, 'SIGKILL');
    }
  });
});
