import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { DiskWatch } from './disk-watch.js';

const MEGABYTE = 1024 * 1024;

describe('the watch of folders', () => {
  let box: string;
  let watch: DiskWatch;
  let calls: number;
  beforeEach(() => {
    box = mkdtempSync(path.join(tmpdir(), 'taskyard-watch-'));
    for (const name of ['one/deep', 'two']) mkdirSync(path.join(box, name), { recursive: true });
    calls = 0;
  });
  afterEach(() => {
    watch.stop();
    execFileSync('rm', ['-rf', box]); // Node names whole paths, which may be too long
  });

  const at = (name: string): string => path.join(box, name);
  const fill = (name: string, megabytes: number): void =>
    writeFileSync(at(name), Buffer.alloc(megabytes * MEGABYTE, 1));
  const start = (folders = ['one', 'two', 'none']): void => {
    watch = new DiskWatch(folders.map(at), 8 * MEGABYTE, () => void (calls += 1));
  };

  it('tells once that they hold too much together, also of what came later', async () => {
    fill('one/deep/a', 5);
    start();
    fill('two/b', 5);
    await eventually('the call', () => calls > 0);
    await pause(1_500);
    expect(calls).toBe(1);
  });

  it('counts what is on the disk: no holes, no file twice, nothing behind a link', async () => {
    writeFileSync(at('one/sparse'), '');
    truncateSync(at('one/sparse'), 100 * MEGABYTE);
    fill('one/a', 5);
    linkSync(at('one/a'), at('two/a'));
    fill('outside', 20);
    symlinkSync(box, at('one/link'));
    start();
    await pause(1_500);
    expect(calls).toBe(0);
  });

  it('sees what lies too deep to be named', async () => {
    const nest = 'for i in $(seq 40); do mkdir $0 && cd -P $0 || exit; done; echo there';
    // more and more of it, as others free space of the same disk meanwhile
    const grow = 'for i in $(seq 40); do head -c 20000000 /dev/zero >> a; sync; sleep 1; done';
    start();
    const run = spawn('sh', ['-c', `${nest}; sleep 2; ${grow}`, 'n'.repeat(200)], { cwd: at('one') });
    await once(run.stdout, 'data');
    await eventually('the call', () => calls > 0);
    run.kill();
    await once(run, 'close');
  });

  it('is over when it is stopped', async () => {
    start();
    watch.stop();
    fill('one/a', 20);
    await pause(1_500);
    expect(calls).toBe(0);
  });
});
