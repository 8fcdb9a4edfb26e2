import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { controllersOf } from './cgroup-controllers.js';
import { Cgroups } from './cgroups.js';

const ceilings = { memory: 1_000_000, processes: 20 };

/** A tree of plain files with the kernel's names: what is written where. Real groups are in choose-sandbox.spec. */
describe('control groups of version 2', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'cgroups-'));
    writeFileSync(path.join(root, 'cgroup.controllers'), 'memory pids');
    writeFileSync(path.join(root, 'cgroup.procs'), '17\n18\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const read = (...parts: string[]) => readFileSync(path.join(root, ...parts), 'utf8');

  const groupOf = (id: string) => `run-taskyard-${process.pid}-${id}`;

  it('have the server, and nobody else, in a group beside those of the runs', () => {
    const [controller] = controllersOf(ceilings, root);
    expect(controller).toMatchObject({ folder: root });
    expect(read('taskyard-server', 'cgroup.procs')).toBe(String(process.pid));
    expect(read('cgroup.subtree_control')).toBe('+memory +pids');
  });

  it('hold the limits of a run, and report the one that was hit', async () => {
    const group = (await Cgroups.find(ceilings, root))!.open('one');
    expect([read(groupOf('one'), 'memory.max'), read(groupOf('one'), 'pids.max')]).toEqual(['1000000', '20']);
    expect(group.limitHit()).toBeNull();
    writeFileSync(path.join(root, groupOf('one'), 'pids.events'), 'max 3\n');
    expect(group.limitHit()).toBe('processes');
    writeFileSync(path.join(root, groupOf('one'), 'memory.events'), 'low 0\noom 1\noom_kill 1\n');
    expect(group.limitHit()).toBe('memory');
    expect(group.wrap({ program: 'agent', args: ['a b'] }).args.slice(2)).toEqual([
      'sh',
      path.join(root, groupOf('one')),
      'agent',
      'a b',
    ]);
  });

  it('limit only what is asked for', async () => {
    const groups = await Cgroups.find({ memory: 0, processes: 20 }, root);
    expect([groups?.limits('memory'), groups?.limits('processes')]).toEqual([false, true]);
    groups!.open('two');
    expect(existsSync(path.join(root, groupOf('two'), 'memory.max'))).toBe(false);
    expect(await Cgroups.find({ memory: 0, processes: 0 }, root)).toBeNull();
  });

  it('are not used where they may not be made', async () => {
    await expect(Cgroups.find(ceilings, path.join(root, 'nowhere'))).rejects.toThrow('ENOENT');
  });

  it('of servers that live are left alone, those of dead ones removed', async () => {
    const [mine, dead] = [groupOf('filling'), 'run-taskyard-4194305-lost']; // beyond the highest pid there can be
    for (const name of [mine, dead]) mkdirSync(path.join(root, name));
    await Cgroups.find(ceilings, root);
    expect([existsSync(path.join(root, mine)), existsSync(path.join(root, dead))]).toEqual([true, false]);
  });
});

/** Beside version 1 it has neither controller. */
const hybrid = '/sys/fs/cgroup/unified';
const isHybrid = existsSync(path.join(hybrid, 'cgroup.controllers'));

(isHybrid ? describe : describe.skip)('a real group of version 2 that cannot limit runs', () => {
  it('has the server back, and nothing more below it', () => {
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    expect(() => controllersOf(ceilings, hybrid)).toThrow();
    expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
    expect(readdirSync(hybrid)).not.toContain('taskyard-server');
  });
});
