import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childPids } from '../../../test/fixtures/children/children.js';
import { useChildren } from '../../../test/fixtures/children/use-children.js';
import { eventually } from '../../../test/support/eventually.js';
import { AppError } from '../errors/app-error.js';
import { ProcessPool } from './process-pool.js';

const child = useChildren();

describe('ProcessPool', () => {
  let pool: ProcessPool;

  beforeEach(() => {
    pool = new ProcessPool(() => null);
  });
  afterEach(() => pool.beforeApplicationShutdown());

  it('counts processes until they have ended, those too that could not be started', async () => {
    const first = pool.start(child(['exit', 0]).spec);
    const second = pool.start(child(['stay']).spec);
    const third = pool.start(child([], { program: '/no/such/program' }).spec);
    expect(pool.size).toBe(3);
    await Promise.all([first.ended, third.ended]);
    expect(pool.size).toBe(1);
    await second.stop({ force: true });
    expect(pool.size).toBe(0);
  });

  it('forgets a process whose consumer failed', async () => {
    const started = pool.start(
      child(['stay'], {
        onLine: () => {
          throw new Error('full');
        },
      }).spec,
    );
    await expect(started.ended).rejects.toThrow('full');
    expect(pool.size).toBe(0);
  });

  it('starts one guard for all, with the first process', async () => {
    const before = childPids();
    const runs = [child(['stay']), child(['stay'])];
    const pids = runs.map((run) => pool.start(run.spec).pid);
    expect(childPids()).toHaveLength(before.length + pids.length + 1);
    await pool.stopAll(2_000);
    expect(childPids()).toHaveLength(before.length + 1);
  });

  it('knows when it is the guard that kills, as nobody said that they may live on', async () => {
    let heldUntil: number | null = null;
    const leased = new ProcessPool(() => heldUntil);
    const since = performance.now();
    const started = leased.start(child(['stay']).spec);
    expect(leased.wasOver(since)).toBe(false);
    heldUntil = performance.now();
    expect((await started.ended).signal).toBe('SIGKILL');
    expect(leased.wasOver(since)).toBe(true);
    heldUntil = performance.now() + 60_000; // a new lease: the guard must know of it before what runs under it
    const next = leased.start(child(['stay']).spec);
    expect(leased.wasOver(since)).toBe(true); // one of then may be dying yet
    expect(leased.wasOver(performance.now())).toBe(false);
    await pause(1_100); // longer than the guard takes to look
    await leased.beforeApplicationShutdown();
    expect((await next.ended).signal).toBe('SIGINT');
  });

  it('stops all: politely, and by force what does not go within the grace', async () => {
    const polite = child(['stay']);
    const stubborn = child(['survive', 'SIGINT', 'SIGTERM']);
    const [first, second] = [polite, stubborn].map((run) => pool.start(run.spec));
    await Promise.all([polite.says('ready'), stubborn.says('ready')]);
    await pool.stopAll(1_500); // sooner than SIGTERM would come
    expect([(await first!.ended).signal, (await second!.ended).signal]).toEqual(['SIGINT', 'SIGKILL']);
    expect(stubborn.texts).toEqual(['ready', 'got SIGINT']);
    expect(pool.size).toBe(0);
  });

  it('stops all and starts nothing more when the server shuts down', async () => {
    const before = childPids();
    const run = child(['stay']);
    pool.start(run.spec);
    await run.says('ready');
    await pool.beforeApplicationShutdown();
    expect(childPids()).toEqual(before);
    expect(() => pool.start(child(['stay']).spec)).toThrow(new AppError('shutting_down'));
  });

  it('sweeps what an earlier server left behind', async () => {
    const [left, other] = [child(['stay-with-escaped']), child(['stay'])];
    const env = { ...left.spec.env, TASKYARD_RUN: left.spec.marker };
    const unsupervised = spawn(left.spec.program, left.spec.args, {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    createInterface({ input: unsupervised.stdout }).on('line', (text) =>
      left.lines.push({ stream: 'stdout', text, continues: false }),
    );
    const neighbour = pool.start(other.spec);
    await other.says('ready');
    await eventually('both', () => left.lines.length === 2);
    await eventually('nobody but them', () => left.survivors().length === 2);
    await pool.sweep([left.spec.marker, 'of-nobody']);
    expect(left.survivors()).toEqual([]);
    await neighbour.stop({ force: true });
  });
});
