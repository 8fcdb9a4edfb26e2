import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { bubblewrapArgs } from './bubblewrap.js';
import { onlyWith } from '../../../test/support/machine.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(homedir(), '.taskyard-bubblewrap-'))); // not in /tmp, which is new inside
  mkdirSync(path.join(folder, 'run/secrets'), { recursive: true });
  writeFileSync(path.join(folder, 'run/secrets/token'), 'secret');
  symlinkSync(path.join(folder, 'run'), path.join(folder, 'linked'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

onlyWith('bubblewrap').it('a place that is named by a link is hidden where it lies', () => {
  const view = bubblewrapArgs(
    { writable: [], readable: [], environment: {} },
    [path.join(folder, 'linked/secrets')],
    [],
  );
  const list = (place: string) =>
    execFileSync('bwrap', [...view, '--', 'ls', '-A', path.join(folder, place)], { encoding: 'utf8' });
  expect(list('linked/secrets')).toBe('');
  expect(list('run/secrets')).toBe('');
  expect(list('run')).toBe('secrets\n');
});
