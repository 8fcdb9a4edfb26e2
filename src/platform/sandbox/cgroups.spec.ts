import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { controllersOf, groupForRuns } from './cgroup-controllers.js';
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

  it("have the server alone in a group beside those of the runs where the root is the system's", () => {
    const [controller] = controllersOf(ceilings, root);
    expect(controller).toMatchObject({ folder: root });
    expect(read('taskyard-server', 'cgroup.procs')).toBe(`${process.pid}\n`);
    expect(read('cgroup.subtree_control')).toBe('+memory +pids');
  });

  describe('that hold more than the server', () => {
    const strays: number[] = [];
    const holding = (...pids: number[]) => {
      writeFileSync(path.join(root, 'cgroup.type'), 'domain');
      writeFileSync(path.join(root, 'cgroup.procs'), pids.map((pid) => `${pid}\n`).join(''));
    };
    const sleeping = (): ChildProcess => {
      const child = spawn('sleep', ['60']);
      strays.push(child.pid!);
      return child;
    };
    /** A process whose parent has ended. */
    const stranger = (): number => {
      const pid = Number(spawnSync('sh', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8' }).stdout);
      strays.push(pid);
      while (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'sleep\n'); // it may be the shell yet
      return pid;
    };
    afterEach(() => strays.splice(0).forEach((pid) => process.kill(pid, 'SIGKILL')));

    it('have it there with those that it comes from and that come from it', () => {
      const family = [process.ppid, process.pid, sleeping().pid!];
      holding(...family);
      controllersOf(ceilings, root);
      expect(read('taskyard-server', 'cgroup.procs')).toBe(family.map((pid) => `${pid}\n`).join(''));
      expect(read('cgroup.subtree_control')).toBe('+memory +pids');
    });

    it('stay as they are where a stranger is among them, who is named', () => {
      const other = stranger();
      holding(process.pid, other);
      expect(() => controllersOf(ceilings, root)).toThrow(`such as sleep (${other})`);
      expect([
        existsSync(path.join(root, 'cgroup.subtree_control')),
        existsSync(path.join(root, 'taskyard-server')),
      ]).toEqual([false, false]);
    });

    it('stay as they are where a process of another container is among them', () => {
      holding(process.pid, 0);
      expect(() => controllersOf(ceilings, root)).toThrow('another container');
    });
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
      path.join(root, groupOf('one'), 'processes/cgroup.procs'),
      'agent',
      'a b',
    ]);
  });

  it('weigh a run little against the server, where the kernel shares the CPU by groups', async () => {
    writeFileSync(path.join(root, 'cgroup.controllers'), 'cpu memory pids');
    const groups = (await Cgroups.find(ceilings, root))!;
    expect(read('cgroup.subtree_control')).toBe('+cpu');
    mkdirSync(path.join(root, groupOf('light')));
    writeFileSync(path.join(root, groupOf('light'), 'cpu.weight'), '100\n');
    groups.open('light');
    expect(read(groupOf('light'), 'cpu.weight')).toBe('11');
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

  it('has the whole family back', () => {
    const own = mkdtempSync(path.join(hybrid, 'spec-'));
    const child = spawn('sleep', ['60']);
    const groupOfPid = (pid: number) => /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))![1];
    const before = groupOfPid(process.pid)!;
    const enter = (folder: string, pid: number) => writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
    try {
      for (const pid of [process.pid, child.pid!]) enter(own, pid);
      expect(() => groupForRuns(own)).toThrow(/EINVAL|ENOENT|invalid/); // it has neither controller
      expect([groupOfPid(process.pid), groupOfPid(child.pid!)]).toEqual(Array(2).fill(`/${path.basename(own)}`));
      expect(readdirSync(own)).not.toContain('taskyard-server');
    } finally {
      enter(path.join(hybrid, before), process.pid);
      enter(path.join(hybrid, before), child.pid!);
      child.kill('SIGKILL');
      rmdirSync(own);
    }
  });
});
