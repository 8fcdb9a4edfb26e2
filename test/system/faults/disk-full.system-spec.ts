import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { runsOf, taskStatus } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';
import { eventually } from '../../support/eventually.js';
import { SmallDisk } from '../../support/small-disk.js';
import { onlyWith } from '../../support/machine.js';

const MEGABYTE = 1024 * 1024;

onlyWith('mount').describe('a disk that is full under DATA_DIR (needs the right to mount a tmpfs)', () => {
  let disk: SmallDisk;
  let server: TestServer;
  let client: McpClient;

  beforeEach(async () => {
    disk = new SmallDisk(8 * MEGABYTE);
    server = await TestServer.start({ DATA_DIR: path.join(disk.dir, 'data') });
    client = await server.mcp();
  });
  afterEach(async () => {
    await server.stop();
    disk.remove();
  });

  const filler = (): string => path.join(disk.dir, 'filler');

  /** Leaves less than so many bytes. */
  function fill(left = 0): void {
    const { bavail, bsize } = statfsSync(disk.dir);
    writeFileSync(filler(), Buffer.alloc(Math.max(0, bavail * bsize - left)));
  }

  it('fails the run with the reason, leaves nothing half made, and goes on once there is room', async () => {
    const { project_id } = await givenProject(server, { files: { 'big.bin': randomBytes(3 * MEGABYTE) } });
    fill(MEGABYTE);
    const { attempt_id, task_id } = await givenAttempt(client, project_id, 'wc -c < big.bin');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: 'The disk of the server is full.',
    });
    expect(await taskStatus(client, task_id as string)).toBe('inreview');
    // it is prepared once more, as vainly, while nobody waits for it
    const made = () => readdirSync(path.join(disk.dir, 'data', 'worktrees')).filter((name) => name !== '.trash');
    await eventually('what was half made to go', () => made().length === 0);
    rmSync(filler());
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'wc -c < big.bin' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: String(3 * MEGABYTE),
    });
    expect(await runsOf(server, attempt_id as string)).toEqual(['codingagent failed', 'codingagent completed']);
  });

  it('is told as storage_full to who asks for a clone', async () => {
    const { repository } = await givenProject(server, { files: { 'big.bin': randomBytes(3 * MEGABYTE) } });
    fill(MEGABYTE / 2);
    const refused = await server.rest.post('/api/projects', {
      name: 'Clone',
      repos: [{ url: `file://${repository.dir}`, name: 'web' }],
    });
    expect([refused.status, refused.body]).toEqual([
      507,
      expect.objectContaining({ code: 'storage_full', retryable: true, hint: expect.stringContaining('DATA_DIR') }),
    ]);
    rmSync(filler());
    expect(
      (
        await server.rest.post('/api/projects', {
          name: 'Clone',
          repos: [{ url: `file://${repository.dir}`, name: 'web' }],
        })
      ).status,
    ).toBe(201);
  });

  it('that the script itself filled is its own failure; what it did stays readable, and it can clean up', async () => {
    const { project_id } = await givenProject(server);
    const { attempt_id, state } = await givenEndedAttempt(
      client,
      project_id,
      'echo kept > kept.txt; cat /dev/zero > flood.bin',
    );
    expect(state).toBe('failed');
    const { page } = await client.call('tail_attempt_logs', { attempt_id, channel: 'raw' });
    expect(page.entries).toMatchObject([
      { entry: { type: 'stderr', content: expect.stringContaining('No space left') } },
    ]);
    expect((await client.call('get_attempt_file', { attempt_id, path: 'web/kept.txt' })).content).toBe('kept\n');
    expect(await client.refused('get_attempt_changes', { attempt_id })).toMatchObject({ code: 'storage_full' });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'rm flood.bin; echo clean' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'clean',
    });
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/kept.txt']);
  });
});
