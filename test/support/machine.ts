import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from '@jest/globals';
import { SmallDisk } from './small-disk.js';

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const isFound = (program: string) => () => runs('sh', '-c', `command -v ${program}`);

export const CHROMIUM = process.env.CHROMIUM ?? found('chromium');
/** Which the set-up of its tests fetches. */
export const HELM = process.env.HELM ?? 'helm';

/** What some tests need beyond Node, git and the base system, with what shows that it is here and works. */
const needs = {
  root: () => process.getuid?.() === 0,
  mount: () => SmallDisk.isPossible,
  bubblewrap: () => runs('bwrap', '--ro-bind', '/', '/', 'true'),
  chromium: () => existsSync(CHROMIUM),
  'git-lfs': () => runs('git', 'lfs', 'version'),
  helm: () => runs(HELM, 'version'),
  pgbouncer: isFound('pgbouncer'),
  promtool: isFound('promtool'),
  prlimit: isFound('prlimit'),
  script: isFound('script'),
  zsh: isFound('zsh'),
  fish: isFound('fish'),
  taskset: isFound('taskset'),
  curl: isFound('curl'),
  jq: isFound('jq'),
  openssl: isFound('openssl'),
};
type Need = keyof typeof needs;

/** Whether this machine has it, tried once a test file. */
export function machineHas(need: Need): boolean {
  tried.set(need, tried.get(need) ?? needs[need]());
  return tried.get(need)!;
}
const tried = new Map<Need, boolean>();

type Block = (name: string, body: () => void) => void;
type Test = (name: string, body: () => Promise<void> | void) => void;

/** `describe` and `it` for what not every machine can run: skipped by name, with what is missing. Nothing of a block is
 *  looked into then, since that alone would make the folders that its tests share. */
export function onlyWith(...wanted: Need[]): { describe: Block; it: Test } {
  const missing = wanted.filter((need) => !machineHas(need));
  if (missing.length === 0) return { describe, it };
  const named = (name: string) => `${name} (skipped: no ${missing.join(', no ')} here)`;
  return {
    describe: (name) => describe.skip(named(name), () => it('runs', () => undefined)),
    it: (name, body) => it.skip(named(name), body),
  };
}

function found(program: string): string {
  return spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
}
