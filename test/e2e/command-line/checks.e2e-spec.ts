import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { ShellUser } from '../../support/shell-user.js';

/** An agent that does what it is told in the language of a shell, and is heard when it fails. */
const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-agent-'));
const file = path.join(folder, 'executors.json');
const told = { id: 'TOLD', command: 'sh', args: ['-c', '{prompt}'], protocol: 'plain', takes: 'prompt' };
writeFileSync(file, JSON.stringify({ executors: [told] }));
afterAll(() => rmSync(folder, { recursive: true }));

const board = Board.use({ EXECUTORS_FILE: file, RETRY_DELAY_SECS: '1' });
let user: ShellUser;
let place: Awaited<ReturnType<Board['project']>>;
beforeAll(async () => {
  user = new ShellUser(board.server.url);
  place = await board.project();
  await board.rest.does('PUT', `/api/projects/${place.project_id}`, { checks: 'warn', fix_rounds: 0 });
});
afterAll(() => user.remove());

const types = (...args: string[]) => user.types(args, place.repository.dir);
const set = (...checks: object[]) =>
  board.rest.does('PUT', `/api/projects/${place.project_id}/repos/${place.repo_id}/checks`, { checks });
const run = (prompt: string) => types('run', prompt, '--watch', '--executor', 'TOLD');

describe('taskyard checks', () => {
  it('ends with 5 where a required check has failed, as the run that was watched has', async () => {
    const lint = { name: 'lint', command: 'exit 3', required: false };
    await set({ name: 'tests', command: 'echo looking; test -f good.txt' }, lint);
    const watched = await run('echo a > a.txt');
    expect([watched.code, watched.stdout]).toEqual([5, expect.stringContaining('looking')]);
    expect(watched.stderr).toMatch(
      /required checks are not passed: tests \(failed\)\n {2}next: taskyard follow-up \S{36}/,
    );
    const shown = await types('checks');
    expect([shown.code, shown.stdout]).toEqual([5, expect.stringMatching(/^checks failed {2}[0-9a-f]{12}\n/)]);
    expect(shown.stdout).toMatch(/^tests +failed +exit 1, [\d.]+ s, failed before, too$/m);
    expect(shown.stdout).toMatch(/^lint +failed +not required, exit 3/m);
  });

  it('runs them and waits for their end', async () => {
    await set({ name: 'tests', command: 'test -f a.txt' });
    const stale = await types('checks');
    expect([stale.code, stale.stderr]).toEqual([
      5,
      expect.stringMatching(/next: taskyard checks \S{36} --run --watch/),
    ]);
    const { code, stdout } = await types('checks', '--run', '--watch', '--json');
    const found = JSON.parse(stdout) as Json;
    expect([code, found.state, found.checks]).toEqual([0, 'passed', [expect.objectContaining({ name: 'tests' })]]);
  });

  it('follows what is tried again, and ends as that does', async () => {
    const failsOnce = 'if [ ! -f .tried ]; then touch .tried; echo "API Error: 529 overloaded" >&2; exit 1; fi';
    const { code, stdout, stderr } = await run(`echo b > a.txt; ${failsOnce}; echo done at last`);
    expect([code, stdout]).toEqual([0, expect.stringContaining('done at last')]);
    expect(stderr).toContain('it is tried again: round 1, at ');
    expect(stdout.match(/^(?!.*echo).*overloaded$/gm)).toHaveLength(1);
  });

  it('refuses a merge with 5 until there is a reason', async () => {
    await board.rest.does('PUT', `/api/projects/${place.project_id}`, { checks: 'block' });
    await set({ name: 'tests', command: 'test -f good.txt' });
    expect((await run('echo c > c.txt')).code).toBe(5);
    const refused = await types('merge', '--update-checkout');
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(/next: taskyard \S+ \S{36}/)]);
    const merged = await types('merge', '--update-checkout', '--override', 'The service is down');
    expect([merged.code, merged.stdout]).toEqual([0, expect.stringContaining('landed')]);
    expect(place.repository.git('show', 'main:c.txt')).toBe('c');
  });

  it('is completed by shells', async () => {
    const { stdout } = await types('completion', 'bash');
    expect(stdout).toMatch(/checks\) words='.*--run --watch'/);
  });
});
