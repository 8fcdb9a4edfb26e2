import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Spawner, type SpawnRequest } from './spawner.js';

const env = { PATH: process.env.PATH! };
const shell = (script: string, more: Partial<SpawnRequest> = {}): SpawnRequest => ({
  program: 'sh',
  args: ['-c', script],
  env,
  streams: [false, true, true],
  ...more,
});

/** Numbers of the processes that this one started and that run the program. */
function helpers(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ');
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return Number(parent) === process.pid && line.includes('spawner-program') ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

describe('a program started by a small one', () => {
  it('has its streams, its own environment and group, and its exit code', async () => {
    const { pid, streams, exited } = await new Spawner().start(
      shell('cat <&3 >&2; cat; env | grep -c "" >&2; exit 7', { streams: [true, true, true], secret: 'a secret ' }),
    );
    const [stdin, stdout, stderr] = streams;
    stdin!.end('x'.repeat(1_000_000));
    expect(await text(stdout!)).toBe('x'.repeat(1_000_000));
    expect(await text(stderr!)).toMatch(/^a secret [1-3]\n$/); // PATH, and what the shell sets itself
    expect([await exited, pid > 0]).toEqual([7, true]);
  });

  it('is one of many at a time, none of which hears what is another one’s', async () => {
    const before = helpers();
    const spawner = new Spawner();
    const said = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const { streams, exited } = await spawner.start(shell(`echo ${number}; exit ${number}`));
        return [await text(streams[1]!), await exited];
      }),
    );
    expect(said).toEqual(Array.from({ length: 40 }, (_, number) => [`${number}\n`, number]));
    expect(helpers().filter((found) => !before.includes(found))).toHaveLength(1);
  });

  it('is refused by its name where it is missing, and where its arguments are too long', async () => {
    const spawner = new Spawner();
    await expect(spawner.start(shell('', { program: 'no-such-program' }))).rejects.toThrow('ENOENT');
    await expect(spawner.start(shell('', { args: ['x'.repeat(3_000_000)] }))).rejects.toThrow('E2BIG');
    expect(await (await spawner.start(shell('exit 3'))).exited).toBe(3);
  });

  it('ends for who waits when the small one is killed, which another one follows', async () => {
    const before = helpers();
    const spawner = new Spawner();
    const { pid, exited } = await spawner.start(shell('sleep 60'));
    const [helper] = helpers().filter((found) => !before.includes(found));
    process.kill(helper!, 'SIGKILL');
    expect(await exited).toBeNull();
    process.kill(-pid, 'SIGKILL');
    expect(await (await spawner.start(shell('exit 4'))).exited).toBe(4);
  });
});
