import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { childProgram, statOf, textOf } from '../../../test/fixtures/children/children.js';
import { useChildren } from '../../../test/fixtures/children/use-children.js';
import { eventually } from '../../../test/support/eventually.js';
import { maxLineBytes } from './line-reader.js';
import type { ProcessSpec } from './process-types.js';
import { SupervisedProcess } from './supervised-process.js';

const wellEnded = { exit_code: 0, signal: null, spawn_error: null };
const child = useChildren();

function start(args: readonly (string | number)[], more: Partial<ProcessSpec> = {}) {
  const run = child(args, more);
  return { run, started: SupervisedProcess.start(run.spec) };
}

describe('a supervised process', () => {
  it('reports the exit code', async () => {
    const ends = [start(['exit', 0]), start(['exit', 3])].map(({ started }) => started.ended);
    expect(await Promise.all(ends)).toEqual([wellEnded, { ...wellEnded, exit_code: 3 }]);
  });

  it('reports the signal that killed it', async () => {
    const { run, started } = start(['stay']);
    await run.says('ready');
    process.kill(started.pid!, 'SIGTERM');
    expect(await started.ended).toEqual({ exit_code: null, signal: 'SIGTERM', spawn_error: null });
  });

  it('has the environment it was given and its marker, and nothing of the server', async () => {
    const { run, started } = start(['print-environment']);
    await started.ended;
    expect(JSON.parse(run.texts[0]!)).toEqual({ ...run.spec.env, TASKYARD_RUN: run.spec.marker });
  });

  it('leads a process group and a session of its own', async () => {
    const { run, started } = start(['stay']);
    await run.says('ready');
    const [, , group, session] = statOf(started.pid!);
    expect([group, session]).toEqual([started.pid, started.pid]);
    await started.stop({ force: true });
  });

  it('runs in the directory it was given', async () => {
    const { run, started } = start([], { program: 'pwd', args: [], env: { PATH: '/usr/bin:/bin' }, cwd: '/' });
    await started.ended;
    expect(run.texts).toEqual(['/']);
  });

  it('distinguishes standard output from standard error', async () => {
    const { run, started } = start(['both-streams']);
    await started.ended;
    expect(run.lines).toEqual(
      expect.arrayContaining([
        { stream: 'stdout', text: 'to stdout', continues: false },
        { stream: 'stderr', text: 'to stderr', continues: false },
      ]),
    );
  });

  it('delivers NUL, invalid bytes, colours and a last line without newline', async () => {
    const { run, started } = start(['raw-bytes']);
    await started.ended;
    expect(run.texts).toEqual([
      'a\uFFFDb',
      'b\uFFFD\uFFFD\uFFFD\uFFFD',
      '\u001b[31mred\u001b[0m',
      '10%\r20%',
      'no newline',
    ]);
  });

  it('delivers 100 000 lines in order', async () => {
    const { run, started } = start([], { program: 'seq', args: ['100000'], env: { PATH: '/usr/bin:/bin' } });
    await started.ended;
    expect(run.texts).toHaveLength(100_000);
    expect(run.texts.every((text, index) => text === String(index + 1))).toBe(true);
  });

  it('delivers a line of 5 MB in parts', async () => {
    const { run, started } = start(['long-line', 5_000_000]);
    await started.ended;
    const parts = run.lines.slice(0, -1);
    expect(parts.map(({ continues }) => continues)).toEqual([...Array(76).fill(true), false]);
    expect(parts.slice(0, -1).every(({ text }) => Buffer.byteLength(text) === maxLineBytes)).toBe(true);
    expect(parts.map(({ text }) => text).join('')).toBe('é'.repeat(2_500_000));
    expect(run.texts.at(-1)).toBe('after');
  });
});

describe('a consumer of lines', () => {
  it('holds back the program while it is busy', async () => {
    let release = () => undefined as void;
    const busy = new Promise<void>((resolve) => {
      release = resolve;
    });
    const texts: string[] = [];
    const onLine = ({ text }: { text: string }) => void texts.push(text);
    const env = { PATH: '/usr/bin:/bin' };
    const { started } = start([], { program: 'seq', args: ['1000000'], env, onLine, untilRoom: () => busy });

    await eventually('the first lines', () => texts.length > 0);
    const read = texts.length;
    const written = await settled(() => Number(/wchar: (\d+)/.exec(textOf(`/proc/${started.pid}/io`))?.[1]));
    expect(texts).toHaveLength(read);
    expect(written).toBeLessThan(2_000_000);

    release();
    expect(await started.ended).toEqual(wellEnded);
    expect(texts).toHaveLength(1_000_000);
    expect(texts.at(-1)).toBe('1000000');
  });

  it('gets every line, even when it is busy for longer than output is read after the exit', async () => {
    let release = (): void => undefined;
    const busy = new Promise<void>((resolve) => (release = resolve));
    const { run, started } = start(['flood', 25_000], { untilRoom: () => busy });
    expect(await started.exited).toEqual(wellEnded);
    await sleep(2_500);
    expect(run.texts.length).toBeLessThan(25_000);
    release();
    expect(await started.ended).toEqual(wellEnded);
    expect(run.texts).toHaveLength(25_000);
  });

  const gone = () => {
    throw new Error('the database is gone');
  };
  it.each([
    ['throws', { onLine: gone }],
    ['rejects', { untilRoom: () => Promise.resolve().then(gone) }],
  ])('that %s ends the program, and the owner hears of it', async (_, consumer) => {
    const { started } = start(['survive', 'SIGINT', 'SIGTERM'], consumer);
    await expect(started.ended).rejects.toThrow('the database is gone');
    expect(await started.exited).toEqual({ exit_code: null, signal: 'SIGKILL', spawn_error: null });
  });
});

describe('standard input', () => {
  it('is read by the program until it is closed', async () => {
    const { run, started } = start(['echo'], { stdin: 'pipe' });
    expect(await started.write('first\nsec')).toBe(true);
    expect(await started.write('ond\n')).toBe(true);
    started.closeStdin();
    expect(await started.ended).toEqual(wellEnded);
    expect(run.texts).toEqual(['first', 'second']);
  });

  it('is at its end from the start when it is closed', async () => {
    const { started } = start(['echo']);
    expect(await started.ended).toEqual(wellEnded);
    expect(await started.write('too late')).toBe(false);
  });

  it('may be closed by the program', async () => {
    const { run, started } = start(['close-stdin'], { stdin: 'pipe' });
    await run.says('closed');
    expect(await started.write('nobody reads this')).toBe(false);
    expect((await started.stop({ force: true })).signal).toBe('SIGKILL');
    expect(await started.write('nor this')).toBe(false);
  });

  it('gives up a text that is never read when the program ends', async () => {
    const { run, started } = start(['stay'], { stdin: 'pipe' });
    await run.says('ready');
    const written = started.write('x'.repeat(1_000_000));
    await started.stop({ force: true });
    expect(await written).toBe(false);
  });
});

describe('a program that cannot be started', () => {
  const failing = async (spec: Partial<ProcessSpec>) => {
    const { started } = start([], spec);
    const end = await started.ended;
    expect(started.pid).toBeNull();
    expect(await started.stop({ force: false })).toBe(end);
    expect(await started.write('x')).toBe(false);
    started.closeStdin();
    expect(end).toMatchObject({ exit_code: null, signal: null });
    return end.spawn_error;
  };

  it('is missing', async () => {
    expect(await failing({ program: '/no/such/program', stdin: 'pipe' })).toBe(
      '/no/such/program could not be started: spawn /no/such/program ENOENT',
    );
  });

  it('has no directory to run in', async () => {
    expect(await failing({ cwd: '/no/such/directory' })).toMatch(
      /could not be started: the working directory \/no\/such\/directory does not exist$/,
    );
  });

  it('is not executable', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'process-'));
    const program = join(directory, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o644 });
    expect(await failing({ program })).toMatch(/EACCES$/);
    rmSync(directory, { recursive: true });
  });

  it('has arguments beyond the limit of the system, or no valid ones', async () => {
    expect(await failing({ args: [childProgram, 'x'.repeat(200_000)] })).toMatch(/E2BIG$/);
    expect(await failing({ args: ['a\0b'] })).toMatch(/null bytes/);
  });
});

/** The value once it has not changed for a while. */
async function settled(read: () => number): Promise<number> {
  for (let value = read(), same = 0; ;) {
    await sleep(20);
    const next = read();
    same = next === value ? same + 1 : 0;
    value = next;
    if (same === 10) return value;
  }
}
