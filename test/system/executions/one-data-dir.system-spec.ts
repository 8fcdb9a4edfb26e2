import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase } from '../../support/database.js';
import { expectNoChildProcesses } from '../../support/leaks.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

describe('two servers on one DATA_DIR', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    chmodSync(dataDir, 0o711); // the user of the embedded database passes through it
  });
  afterEach(async () => {
    await ServerProcess.endLeft();
    await expectNoChildProcesses();
    rmSync(dataDir, { recursive: true });
  });

  /** The first works on while the second one is refused, with a run that lives through it. */
  async function provesRefusal(settings: Record<string, string>): Promise<void> {
    const first = await ServerProcess.start(settings);
    const client = await first.mcp();
    const { project_id } = await givenProject(first);
    const { attempt_id } = await givenAttempt(
      client,
      project_id,
      'echo ready; until [ -e go ]; do sleep 0.1; done; echo went',
    );
    await untilSaid(client, attempt_id as string, 'ready');

    const { code, output } = await ServerProcess.run(settings);
    expect([code, output.trim().split('\n')]).toEqual([
      1,
      [`taskyard: another server already uses DATA_DIR ${dataDir}: stop it, or give this one a DATA_DIR of its own`],
    ]);

    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'running' });
    expect(await givenEndedAttempt(client, project_id)).toMatchObject({ state: 'completed' });
    writeFileSync(path.join(dataDir, 'worktrees', attempt_id as string, 'web/go'), '');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'ready\nwent',
    });
    expect(await first.end()).toMatchObject({ code: 0 });
    first.repositories.remove();
  }

  it('refuses the second with one line, and does not hurt the first', async () => {
    const database = await createTestDatabase();
    await provesRefusal({ DATABASE_URL: database.url, DATA_DIR: dataDir });
    await database.drop();
  });

  it('does so too with the embedded database, which goes on for the first and ends with it', async () => {
    await provesRefusal({ DATA_DIR: dataDir });
  });
});
