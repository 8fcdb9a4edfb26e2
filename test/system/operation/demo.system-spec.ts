import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { createTestDatabase } from '../../support/database.js';
import { expectNoChildProcesses } from '../../support/leaks.js';

const demo = path.join(import.meta.dirname, '../../../scripts/demo.mjs');

it('the demo walks the whole loop, shows log lines and the diff, and leaves nothing behind', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-demo-test-'));
  const database = await createTestDatabase();
  const { stdout } = await promisify(execFile)(process.execPath, [demo], {
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, DATABASE_URL: database.url },
  });
  const shown = [
    'POST /api/projects 201',
    '→ start_task_attempt',
    'thinking  A file of its own',
    'tool_use  Write GREETING.md',
    'assistant_message  Wrote a greeting.',
    '+Hello from an attempt.',
    '→ follow_up',
    'Have a nice day.',
    '→ stop_attempt',
    '"stopped":true',
    '→ merge_attempt',
    '"status":"landed"',
    '"status":"undone"',
    'DELETE /api/projects/',
  ];
  expect(shown.filter((text) => !stdout.includes(text))).toEqual([]);
  expect(shown.map((text) => stdout.indexOf(text))).toEqual(
    shown.map((text) => stdout.indexOf(text)).sort((a, b) => a - b),
  );
  expect(readdirSync(folder)).toEqual([]);
  rmdirSync(folder);
  await expectNoChildProcesses();
  await database.drop();
});
