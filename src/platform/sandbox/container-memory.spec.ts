import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { containerMemory, memoryProblem } from './container-memory.js';

const GIB = 1024 ** 3;

describe('the memory of runs in a container', () => {
  const settings = (RUN_MEMORY_MAX: number, MAX_CONCURRENT_EXECUTIONS: number) => ({
    RUN_MEMORY_MAX,
    MAX_CONCURRENT_EXECUTIONS,
  });

  it.each([
    [2 * GIB, 8],
    [1.875 * GIB, 8],
    [15 * GIB, 1],
  ])('fits where all runs together leave the server 1 GiB: %d × %d of 16 GiB', (most, slots) => {
    const fits = most * slots <= 15 * GIB;
    expect(memoryProblem(settings(most, slots), 16 * GIB) === null).toBe(fits);
  });

  it('is too much where it does not, with the number to set', () => {
    expect(memoryProblem(settings(8 * GIB, 8), 16 * GIB)).toEqual({
      what: expect.stringMatching(/^8 runs of 8589934592 bytes \(RUN_MEMORY_MAX\) can use up the 17179869184 bytes/),
      mend: expect.stringMatching(/^Set RUN_MEMORY_MAX to at most 2013265920,/),
    });
    expect(memoryProblem(settings(0, 8), 16 * GIB)?.what).toMatch(/^8 runs without limit can/);
    expect(memoryProblem(settings(GIB, 1), GIB)?.mend).toBe('Give the container more than 1 GiB of memory.');
  });

  it('is not looked into where there is no limit', () => {
    expect(memoryProblem(settings(0, 8), null)).toBeNull();
  });
});

describe('the limit of a container', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'memory-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };

  it.each([
    ['2', 'memory.max'],
    ['1', 'memory/memory.limit_in_bytes'],
  ])('is read from control groups of version %s', (version, file) => {
    if (version === '2') write('cgroup.controllers', 'memory');
    write(file, '33554432\n');
    expect(containerMemory(root)).toBe(33_554_432);
  });

  it.each([
    ['max\n', 'memory.max'],
    ['9223372036854771712\n', 'memory.max'],
  ])('is none where the kernel says %j', (text, file) => {
    write('cgroup.controllers', 'memory');
    write(file, text);
    expect(containerMemory(root)).toBeNull();
  });
});
