import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, processesTyped } from '../../../test/support/eventually.js';
import { onlyWith } from '../../../test/support/machine.js';
import { SupervisedProcess } from '../process/supervised-process.js';
import { chooseSandbox } from './choose-sandbox.js';
import { hiddenPaths, shownPaths } from './open-sandbox.js';
import type { Confinement, LimitHit, Sandbox } from './sandbox.js';

const MEMORY = 96 * 1024 ** 2;
const settings = { ISOLATION: 'bubblewrap' as const, RUN_MEMORY_MAX: MEMORY, RUN_PROCESSES_MAX: 40, RUN_DISK_MAX: 0 };

let count = 0;
/** What a shell script prints inside, with its exit code and the limit it ran into. */
async function run(sandbox: Sandbox, confinement: Confinement, script: string, cwd = '/') {
  const cell = sandbox.open(`spec-${process.pid}-${(count += 1)}`, confinement);
  const lines: string[] = [];
  const { program, args } = cell.wrap({ program: 'bash', args: ['-c', script] }, cwd);
  const child = SupervisedProcess.start({
    program,
    args,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', HOME: homedir() },
    marker: `sandbox-spec-${process.pid}-${count}`,
    stdin: 'closed',
    onLine: (line) => {
      lines.push(line.text);
      cell.hear(line);
    },
  });
  const { exit_code } = await child.ended;
  const hit: LimitHit | null = cell.limitHit();
  await cell.close();
  return { exit_code, output: lines.join('\n'), hit };
}

/** A bubblewrap of a machine where root has no user namespaces. */
const WITHOUT_USERS = `#!/bin/sh
case " $* " in *" --unshare-user "*) echo "no user namespaces" >&2; exit 1 ;; esac
PATH="\${PATH#*:}" exec bwrap "$@"
`;
const GREEDY = `exec perl -e '$bytes = 3e8; $x = "x" x $bytes'`;
const isRoot = process.getuid?.() === 0;
const machines = isRoot ? ['', ', without user namespaces'] : [''];

describe.each(machines)('on a machine%s', (without) =>
  onlyWith('bubblewrap').describe('a process behind bubblewrap', () => {
    let home: string;
    let data: string;
    let sandbox: Sandbox;
    const { PATH } = process.env;
    const mine = () => ({
      writable: [path.join(data, 'worktrees/mine')],
      readable: [path.join(data, 'repos/mine.git')],
    });

    beforeAll(async () => {
      home = mkdtempSync(path.join(homedir(), 'sandbox-spec-'));
      data = path.join(home, 'data');
      for (const folder of ['worktrees/mine', 'worktrees/other', 'repos/mine.git', 'postgres', '../.ssh'])
        mkdirSync(path.join(data, folder), { recursive: true });
      for (const file of ['worktrees/other/a', 'repos/mine.git/config', 'postgres/password', '../.ssh/id', '../token'])
        writeFileSync(path.join(data, file), 'secret');
      if (without) {
        writeFileSync(path.join(home, 'bwrap'), WITHOUT_USERS, { mode: 0o755 });
        process.env.PATH = `${home}:${PATH}`;
      }
      sandbox = await chooseSandbox(settings, hiddenPaths(data, [path.join(home, 'token')], home), shownPaths({}));
    });
    afterAll(() => {
      process.env.PATH = PATH;
      rmSync(home, { recursive: true, force: true });
    });

    it('is an ordinary user by the name of the server, whose files are its own', async () => {
      const { output } = await run(sandbox, mine(), 'id -un; id -u; stat -c %U /etc/passwd; whoami');
      const [name, id, owner, again] = output.split('\n');
      expect([name, owner, again]).toEqual([userInfo().username, isRoot ? 'root' : owner, name]);
      if (!without) expect(id).not.toBe('0');
    });

    it('writes its own folder, and what it wrote stays', async () => {
      const own = path.join(data, 'worktrees/mine');
      expect(await run(sandbox, mine(), 'echo done > result; pwd', own)).toMatchObject({ exit_code: 0, output: own });
      expect(readFileSync(path.join(own, 'result'), 'utf8')).toBe('done\n');
    });

    it.each([
      ['the worktree of another attempt', 'cat "$D/worktrees/other/a"'],
      ['the password of the database', 'cat "$D/postgres/password"'],
      ['the keys of the user', 'cat "$D/../.ssh/id"'],
      ['a file that a setting was read from', 'test -s "$D/../token"'],
      ['the environment of the server', `tr '\\0' '\\n' < /proc/${process.pid}/environ`],
      ['the process of the server', `kill -0 ${process.pid}`],
      ['what is shown, to change it', 'echo x > "$D/repos/mine.git/config"'],
      ['the system', 'echo x > /etc/taskyard-was-here'],
      ['a file beside its own folder', 'echo x > "$D/worktrees/new"; test -e "$D/worktrees/new" && cat /nowhere'],
      ['kernel settings', 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'],
      ['mounts', 'mount -t tmpfs none /mnt'],
      ['what a mount of ours hides', `umount "${'$'}D" && cat "$D/postgres/password"`],
      [
        'kernel settings by a /proc of its own',
        'unshare -Urmpf sh -c "mount -t proc p /tmp && echo >> /tmp/sys/kernel/panic"',
      ],
      ['a hidden folder by a namespace of its own', 'unshare -Urm sh -c \'umount "$D" && cat "$D/postgres/password"\''],
    ])('does not reach %s', async (_, attack) => {
      const { exit_code, output } = await run(sandbox, mine(), `export D=${data}; ${attack}`);
      expect(exit_code).not.toBe(0);
      expect(output).not.toContain('secret');
      expect(existsSync('/etc/taskyard-was-here')).toBe(false);
      expect(readFileSync(path.join(data, 'repos/mine.git/config'), 'utf8')).toBe('secret');
      expect(readdirSync(path.join(data, 'worktrees')).sort()).toEqual(['mine', 'other']);
    });

    it('sees what it is shown below a hidden folder, with an own folder for temporary files', async () => {
      const { output } = await run(
        sandbox,
        mine(),
        `cat ${data}/repos/mine.git/config; ls -A /tmp /var/tmp; touch /tmp/x`,
      );
      expect(output).toBe('secret/tmp:\n\n/var/tmp:');
    });

    it('takes its children along, whatever they have left behind', async () => {
      const name = `7${process.pid}`;
      await run(
        sandbox,
        mine(),
        `setsid env -i sleep ${name} & (unset TASKYARD_RUN; setsid nohup sleep ${name}) & sleep 0.2`,
      );
      expect(processesTyped(`sleep ${name}`)).toEqual([]);
    });

    it('dies with the one who started it, though that was killed', async () => {
      const seconds = `6${process.pid}`;
      const cell = sandbox.open(`spec-orphan-${process.pid}`, mine());
      const script = `setsid env -i sleep ${seconds} & sleep ${seconds}`;
      const { program, args } = cell.wrap({ program: 'bash', args: ['-c', script] }, '/');
      const starter = spawn('sh', ['-c', '"$@" & wait', 'sh', program, ...args]);
      await eventually('both to run', () => processesTyped(`sleep ${seconds}`).length === 2);
      starter.kill('SIGKILL');
      await eventually('the end of both', () => processesTyped(`sleep ${seconds}`).length === 0);
      await cell.close();
    });

    it('is asked to stop before it is killed', async () => {
      const cell = sandbox.open(`spec-stop-${process.pid}`, mine());
      const lines: string[] = [];
      const script = 'trap "echo goodbye; exit 3" INT; echo ready; while :; do sleep 0.05; done';
      const command = cell.wrap({ program: 'bash', args: ['-c', script] }, '/');
      const child = SupervisedProcess.start({
        ...command,
        cwd: '/',
        env: { PATH: process.env.PATH ?? '' },
        marker: `sandbox-stop-${process.pid}`,
        stdin: 'closed',
        onLine: ({ text }) => {
          lines.push(text);
          if (text === 'ready') void child.stop({ force: false });
        },
      });
      expect(await child.ended).toMatchObject({ exit_code: 3 });
      await cell.close();
      expect(lines).toEqual(['ready', 'goodbye']);
    });

    it('is cut off at its limits where the kernel keeps them, and says so', async () => {
      if (sandbox.limits.memory === 'cgroup') {
        const greedy = await run(sandbox, mine(), GREEDY);
        expect(greedy).toMatchObject({ exit_code: 137, hit: 'memory' });
      }
      if (sandbox.limits.processes === 'cgroup') {
        const forking = await run(sandbox, mine(), 'for i in $(seq 80); do sleep 5 & done; wait');
        expect(forking.hit).toBe('processes');
      }
      expect(await run(sandbox, mine(), 'echo modest')).toMatchObject({ exit_code: 0, hit: null });
    });
  }),
);

describe('the choice of a sandbox', () => {
  it('is none where none is asked for, and says so', async () => {
    const sandbox = await chooseSandbox({ ...settings, ISOLATION: 'none' }, [], []);
    expect([sandbox.isolation, sandbox.reason]).toEqual(['none', 'ISOLATION=none']);
    expect(await run(sandbox, { writable: [], readable: [] }, 'echo free')).toMatchObject({ output: 'free' });
  });

  it('refuses to be without walls that were asked for by name', async () => {
    const search = process.env.PATH;
    process.env.PATH = '/nowhere';
    try {
      await expect(chooseSandbox(settings, [], [])).rejects.toThrow(
        'ISOLATION=bubblewrap does not work on this machine',
      );
      const auto = await chooseSandbox({ ...settings, ISOLATION: 'auto' }, [], []);
      expect(auto.isolation).toBe('none');
      expect(auto.reason).toContain('could not be started');
    } finally {
      process.env.PATH = search;
    }
  });
});

onlyWith('prlimit').describe('a limit on memory without control groups', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await chooseSandbox({ ...settings, ISOLATION: 'none' }, [], [], '/nowhere');
  });
  const inside = (script: string) => run(sandbox, { writable: [], readable: [] }, script);

  it('is kept by prlimit, and the server says why', () => {
    expect(sandbox.limits).toMatchObject({ memory: 'prlimit', processes: 'none' });
    expect(sandbox.limits.reason).toContain('ENOENT');
  });

  it.each([
    ['a program', GREEDY],
    ['a shell', 'x=$(head -c 200000000 /dev/zero | tr "\\0" x); echo ${#x}'],
  ])('cuts %s off, which says so', async (_, script) => {
    expect(await inside(script)).toMatchObject({ exit_code: expect.any(Number), hit: 'memory' });
  });

  it.each([
    ['who gets by with it', 'echo modest'],
    ['who prints the words', 'echo "MemoryError: out of memory"; exit 1'],
    ['whose runtime has a limit of its own', 'echo "FATAL ERROR: Reached heap limit Allocation failed" >&2; exit 134'],
  ])('is not what stopped one %s', async (_, script) => {
    expect(await inside(script)).toMatchObject({ hit: null });
  });
});
