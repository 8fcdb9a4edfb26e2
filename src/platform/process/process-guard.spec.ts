import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childPids, type ChildRun, statOf, taggedPids, textOf } from '../../../test/fixtures/children/children.js';
import { useChildren } from '../../../test/fixtures/children/use-children.js';
import { eventually } from '../../../test/support/eventually.js';
import { ProcessGuard } from './process-guard.js';
import { startedAt } from './process-table.mjs';
import { SupervisedProcess } from './supervised-process.js';

const child = useChildren();

const guardsOf = (server: number) =>
  childPids(server).filter((pid) => textOf(`/proc/${pid}/cmdline`).includes('process-guard-program.mjs'));

/** Its handlers stand: SIGHUP, SIGINT and SIGTERM are bits 0, 1 and 14 of the caught signals. */
const isUp = (guard: number) =>
  (Number.parseInt(/SigCgt:\s*([0-9a-f]+)/.exec(textOf(`/proc/${guard}/status`))?.[1]?.slice(-4) ?? '0', 16) &
    0x4003) ===
  0x4003;

const at = (name: string) => new URL(`../../../test/fixtures/children/${name}`, import.meta.url).pathname;

describe('the guard of a server that is killed', () => {
  let server: ChildProcess;
  let said: string[];

  function startServer(mode: 'LIVES' | 'DIES' | 'LEASED', ...behaviours: string[]): void {
    const args = ['--import', at('typescript-loader.mjs'), at('pool-server.ts'), mode, ...behaviours];
    server = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    said = [];
    createInterface({ input: server.stdout! }).on('line', (line) => said.push(line));
  }

  /** What leads out of a group may still be leaving when what it started is ready. */
  async function allReady(count: number): Promise<void> {
    await eventually('all children', () => said.filter((line) => line.startsWith('ready')).length === count);
    await eventually('nobody but them', () => survivors().length === count);
  }

  const survivors = () => said.filter((line) => line.startsWith('tag ')).flatMap((line) => taggedPids(line.slice(4)));
  const noneLeft = () => eventually('the end of all children', () => survivors().length === 0);

  async function killServer(): Promise<void> {
    server.kill('SIGKILL');
    await eventually('the end of the server', () => server.signalCode !== null);
  }

  afterEach(async () => {
    await killServer();
    await noneLeft();
  });

  it('kills them while the server is frozen beyond its lease, and guards what it starts afterwards', async () => {
    startServer('LEASED', 'stay-with-group-and-escaped', 'survive');
    await allReady(4);
    server.kill('SIGSTOP');
    await noneLeft();
    server.kill('SIGCONT');
    expect(guardsOf(server.pid!)).toHaveLength(1);
  });

  it.each([
    ['the server is frozen that is alone', 'LIVES', () => server.pid!],
    ['it was starved itself', 'LEASED', () => guardsOf(server.pid!)[0]!],
  ] as const)('kills nothing where %s', async (_, mode, frozen) => {
    startServer(mode, 'stay');
    await allReady(1);
    process.kill(frozen(), 'SIGSTOP');
    await delay(4_000); // twice the lease
    process.kill(frozen(), 'SIGCONT');
    const turns = said.length;
    await eventually('a second of the server', () => said.length > turns + 50);
    expect(survivors()).toHaveLength(1);
  });

  it('kills groups and what has left them, and then ends', async () => {
    startServer('LIVES', 'stay-with-group-and-escaped', 'survive', 'stay');
    await allReady(5);
    const guards = guardsOf(server.pid!);
    expect(guards).toHaveLength(1);
    const [, , group, session] = statOf(guards[0]!);
    expect([group, session]).toEqual([guards[0], guards[0]]);
    await killServer();
    await noneLeft();
    await eventually('the end of the guard', () => textOf(`/proc/${guards[0]}/cmdline`) === '');
  });

  it('kills what was started in the same moment', async () => {
    startServer('DIES', 'stay-with-escaped', 'stay');
    await eventually('two tags and the end of the server', () => said.length === 2 && server.signalCode !== null);
    await noneLeft();
  });

  it('does not mind the signals that end a server', async () => {
    startServer('LIVES', 'stay-with-escaped');
    await allReady(2);
    const [guard] = guardsOf(server.pid!);
    await eventually('the handlers of the guard', () => isUp(guard!));
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(guard!, signal);
    server.kill('SIGTERM');
    await noneLeft();
  });

  it('is started again with the live set when it dies itself', async () => {
    startServer('LIVES', 'stay-with-escaped', 'stay');
    await allReady(3);
    const [first] = guardsOf(server.pid!);
    process.kill(first!, 'SIGKILL');
    await eventually('another guard', () => guardsOf(server.pid!).some((pid) => pid !== first));
    const turns = said.length;
    await eventually('two turns of the server, which tells the guard in one', () => said.length > turns + 1);
    expect(survivors()).toHaveLength(3);
    await killServer();
    await noneLeft();
  });
});

describe('the guard', () => {
  let guard: ProcessGuard;
  let run: ChildRun;
  let started: SupervisedProcess;

  beforeEach(async () => {
    guard = new ProcessGuard(() => null);
    run = child(['stay']);
    started = SupervisedProcess.start(run.spec);
    await run.says('ready');
  });

  afterEach(() => started.stop({ force: true }));

  const group = () => ({ marker: 'of-another-run', pgid: started.pid, started_at: startedAt(started.pid!) });

  it('kills a group by its number and start, whatever its environment', async () => {
    guard.watch(group());
    await guard.close();
    expect((await started.exited).signal).toBe('SIGKILL');
  });

  it('kills by the marker alone, when the server died before it knew the group', async () => {
    guard.watch({ marker: run.spec.marker, pgid: null, started_at: null });
    await guard.close();
    expect((await started.exited).signal).toBe('SIGKILL');
  });

  it('leaves a process alone that got the number of a group later', async () => {
    guard.watch({ ...group(), started_at: startedAt(started.pid!)! - 1 });
    await guard.close();
    expect(run.survivors()).toEqual([started.pid]);
  });

  it('leaves alone what has ended', async () => {
    guard.watch(group());
    guard.watch({ marker: run.spec.marker, pgid: null, started_at: null });
    guard.forget('of-another-run');
    guard.forget(run.spec.marker);
    await guard.close();
    expect(run.survivors()).toEqual([started.pid]);
  });
});
