import { expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { explain } from './embedded-error.js';

it('names the cause and not what those were told who came too early', () => {
  const log = [
    '2026-01-01 UTC [2] FATAL:  the database system is starting up',
    '2026-01-01 UTC [1] PANIC:  could not locate a valid checkpoint record',
    '2026-01-01 UTC [1] LOG:  startup process was terminated',
  ].join('\n');
  expect(explain('postgres', log, tmpdir()).message).toMatch(/\(postgres: .*PANIC: {2}could not locate a valid/);
});
