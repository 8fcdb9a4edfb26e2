import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitSandbox } from '../../test/support/git-repository.js';
import { gitEnvironment } from '../config/child-environment.js';
import { type Spawned, spawner, type Starter } from '../platform/process/spawner.js';
import { GitProcess } from './git-process.js';

let box: GitSandbox;
beforeEach(() => {
  box = new GitSandbox();
});
afterEach(() => box.remove());

/** @param free from its exit on: the sink takes chunk by chunk, the first one only once that has settled */
function start(script: string, free: (exited: Promise<unknown>) => Promise<unknown>, timeoutMs = 60_000) {
  const spawning = new EventEmitter<{ spawned: [Spawned] }>();
  const starter: Starter = {
    async start(wanted) {
      const spawned = await spawner.start(wanted);
      spawning.emit('spawned', spawned);
      return spawned;
    },
  };
  const exited = once(spawning, 'spawned').then(([spawned]) => (spawned as Spawned).exited);
  const isFree = free(exited);
  const chunks: Buffer[] = [];
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      void isFree.then(() => done());
    },
  });
  const args = ['-c', script];
  const limits = { timeoutMs, maxBytes: 1_000 };
  const { ended } = new GitProcess({ program: 'sh', args, env: gitEnvironment(), sink, starter, ...limits });
  return { ended, sink, chunks };
}

/** Starts it in the background and goes on once it is there. */
const inASessionOfItsOwn = (script: string, pid: string): string =>
  `setsid sh -c 'echo $$ > ${pid}; ${script}' & while [ ! -s ${pid} ]; do sleep 0.02; done`;

describe('the output of a program that has exited', () => {
  it('is read to its end, however long its reader takes', async () => {
    const { ended, sink, chunks } = start('head -c 100000 /dev/zero', (exited) => exited.then(() => pause(1_500)));
    expect(await ended).toMatchObject({ exitCode: 0, timedOut: false });
    await finished(sink);
    expect(Buffer.concat(chunks)).toHaveLength(100_000);
  });

  it('ends where a helper that has left the group holds it open', async () => {
    const pid = box.path('pid');
    const script = `${inASessionOfItsOwn('exec sleep 1000', pid)}; echo answer`;
    const { ended, sink, chunks } = start(script, () => Promise.resolve());
    try {
      expect(await ended).toMatchObject({ exitCode: 0, timedOut: false });
      await finished(sink);
      expect(Buffer.concat(chunks).toString()).toBe('answer\n');
    } finally {
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    }
  });

  it('is given up in time where such a helper never stops writing', async () => {
    const pid = box.path('pid');
    const script = inASessionOfItsOwn('while :; do echo more; sleep 0.1; done', pid);
    const { ended, sink } = start(script, () => Promise.resolve(), 3_000);
    try {
      expect(await ended).toMatchObject({ timedOut: true });
      await finished(sink);
    } finally {
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    }
  });
});
