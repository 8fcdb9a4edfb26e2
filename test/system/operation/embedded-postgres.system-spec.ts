import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expectNoChildProcesses } from '../../support/leaks.js';

interface Holder {
  process: ChildProcess;
  url: string;
  adopted: boolean;
}

const program = path.join(import.meta.dirname, '../../fixtures/embedded-server.mjs');
let dataDir: string;
let started: ChildProcess[];

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-holders-'));
  chmodSync(dataDir, 0o711);
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((child) => end(child, 'SIGTERM')));
  await expectNoChildProcesses();
  rmSync(dataDir, { recursive: true });
});

async function hold(): Promise<Holder> {
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, ...(JSON.parse(line.toString()) as { url: string; adopted: boolean }) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded database and the processes that hold it', () => {
  it('survives kill -9 of its holder, is adopted by the next one and stops with that one', async () => {
    const first = await hold();
    await run(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await end(first.process, 'SIGKILL');
    const second = await hold();
    expect(second).toMatchObject({ adopted: true, url: first.url });
    expect(await run(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await end(second.process, 'SIGTERM');
    await expect(run(second.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is made once when three processes start together, and outlives all but the last', async () => {
    const holders = await Promise.all([hold(), hold(), hold()]);
    expect(holders.filter(({ adopted }) => !adopted)).toHaveLength(1);
    expect(new Set(holders.map(({ url }) => url)).size).toBe(1);
    // its starter leaves first
    const [first, second, last] = holders.sort((a, b) => Number(a.adopted) - Number(b.adopted));
    await end(first.process, 'SIGTERM');
    await end(second.process, 'SIGKILL');
    expect(await run(last.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await end(last.process, 'SIGTERM');
    await expect(run(last.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('starts after kill -9 at any moment of the first start', async () => {
    for (const afterMs of [30, 120, 250, 500, 900]) {
      // spread over the lock, initdb and the server's start
      const child = spawn(process.execPath, [program, dataDir], { stdio: ['pipe', 'ignore', 'ignore'] });
      started.push(child);
      await Promise.race([
        once(child, 'exit'),
        new Promise((resolve) => {
          setTimeout(resolve, afterMs);
        }),
      ]);
      await end(child, 'SIGKILL');
    }
    const { url } = await hold();
    expect(await run(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });
});
