import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ProgramFinder } from './find-program.js';

const wanted = { executor: 'MINE', program: 'mine', install: 'npm install -g mine' };

describe('finding a program', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'find-program-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const at = (...parts: string[]): string => path.join(folder, ...parts);
  const program = (name: string, mode = 0o755): string => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), '');
    chmodSync(at(name), mode);
    return at(name);
  };
  const finder = (configured = {}, probe: (program: string) => Promise<string | null> = () => Promise.resolve(null)) =>
    new ProgramFinder(configured, probe, () => [at('a'), at('b')]);

  it('takes the first on the path that is one', () => {
    program('a/mine', 0o644);
    mkdirSync(at('a/other'), { recursive: true });
    const found = program('b/mine');
    expect(finder().find(wanted)).toBe(found);
  });

  it('prefers the configured command, and takes no other when that is gone', () => {
    program('a/mine');
    const [absolute, named] = [program('elsewhere/tool'), program('b/tool')];
    expect(finder({ MINE: absolute }).find(wanted)).toBe(absolute);
    expect(finder({ MINE: 'tool' }).find(wanted)).toBe(named);
    expect(finder({ MINE: at('gone') }).availability(wanted)).toEqual({
      is_available: false,
      reason: `the configured command ${at('gone')} is not there or not executable`,
      version: null,
    });
  });

  it('sees what is installed later', () => {
    const programs = finder();
    expect(programs.availability(wanted)).toEqual({
      is_available: false,
      reason: 'mine is not on the PATH; install it: npm install -g mine',
      version: null,
    });
    program('a/mine');
    expect(programs.availability(wanted).is_available).toBe(true);
  });

  it('learns the version in the background, once', async () => {
    program('a/mine');
    const asked: string[] = [];
    const programs = finder({}, (file) => {
      asked.push(file);
      return Promise.resolve('mine-cli 1.22.333 (build 7)\n');
    });
    expect(programs.availability(wanted)).toEqual({ is_available: true, reason: null, version: null });
    await Promise.resolve();
    expect(programs.availability(wanted).version).toBe('1.22.333');
    expect(asked).toEqual([at('a/mine')]);
  });

  it('is available though its version cannot be told', async () => {
    program('a/mine');
    const programs = finder({}, () => Promise.reject(new Error('no')));
    programs.availability(wanted);
    await Promise.resolve();
    expect(programs.availability(wanted)).toEqual({ is_available: true, reason: null, version: null });
  });
});
