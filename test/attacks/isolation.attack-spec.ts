import { readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Attack, AttackGround, node, type WayOut } from '../support/attack-ground.js';
import {
  allRawLines,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  type Project,
  untilEnded,
} from '../support/board.js';
import { eventually, processesTyped } from '../support/eventually.js';
import { untouched } from '../support/folder-bytes.js';
import { onlyWith } from '../support/machine.js';
import type { Json } from '../support/mcp-client.js';
import { untilSaid } from '../support/runs.js';

const MEGABYTE = 1024 * 1024;
const pg = path.join(import.meta.dirname, '../../node_modules/pg');

onlyWith('bubblewrap').describe('behind bubblewrap', () => {
  const ground = AttackGround.use({
    ISOLATION: 'bubblewrap',
    DATABASE_URL: '', // embedded, so that its password lies in DATA_DIR
    RUN_LOG_MAX_BYTES: String(MEGABYTE),
    RUN_MEMORY_MAX: String(256 * MEGABYTE),
    RUN_PROCESSES_MAX: '200',
  });
  let project: Project;
  let victim: Json;
  beforeAll(async () => {
    project = await givenProject(ground.server);
    victim = await givenEndedAttempt(ground.kanban, project.project_id, 'echo secret > secret.txt');
  });

  const run = (script: string): Promise<Json> => givenEndedAttempt(ground.kanban, project.project_id, script);

  describe('S1: a script with the power of the server', () => {
    const attacks: Attack[] = [
      [
        'reads the environment of its parent',
        () => 'tr "\\0" "\\n" < /proc/$PPID/environ | grep -E "DATABASE|DATA_DIR"',
      ],
      ['reads the environment of any process', () => 'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep ^DATA_DIR='],
      ['reads the password of the database', () => `cat '${ground.dataDir}/postgres/password'`],
      ["reads the password of the server's role", () => `cat '${ground.dataDir}'/postgres/*password*`],
      [
        'enters the database without a password',
        () => {
          const { hostname, port } = new URL(ground.databaseUrl());
          const host = decodeURIComponent(hostname);
          return node(
            `const {Client} = require('${pg}'); const users = ['postgres', 'taskyard_app', 'root']; ` +
              `Promise.any(users.flatMap((user) => ['', user, 'postgres'].map(async (password) => { ` +
              `const c = new Client({host: '${host}', port: ${port}, user, password, database: 'postgres'}); ` +
              `await c.connect(); await c.end(); }))).catch(() => process.exit(1))`,
          );
        },
      ],
      [
        'calls the server as its owner',
        () => node(`fetch('${ground.url}/api/projects').then((a) => process.exit(a.ok ? 0 : 1))`),
      ],
      [
        'calls it through a process that hides',
        () => {
          const code = `fetch('${ground.url}/api/projects').then((a) => process.exit(a.ok ? 0 : 1))`;
          return `setsid env -i ${node(code)}`;
        },
      ],
      ['reads the token of the owner', () => `cat '${ground.dataDir}/local-token'`],
      [
        'calls it from a thread with files of its own',
        () =>
          `python3 -c "import ctypes,threading,urllib.request as u; ctypes.CDLL(None).unshare(0x400); ` +
          `print(u.urlopen('${ground.url}/api/projects').status)"`,
      ],
      [
        'calls it from a process that shows nobody its files',
        () =>
          `python3 -c "import ctypes,urllib.request as u; ctypes.CDLL(None).prctl(4,0,0,0,0); ` +
          `print(u.urlopen('${ground.url}/api/projects').status)"`,
      ],
      ['reads another attempt', () => `cat '${ground.dataDir}/worktrees/${victim.attempt_id}/web/secret.txt'`],
      ['lists the data folder', () => `ls '${ground.dataDir}' | grep -vxE 'worktrees|stores'`],
      [
        'finds another attempt by its name',
        () => `ls '${ground.dataDir}/worktrees' '${ground.dataDir}/stores' | grep '${victim.attempt_id}'`,
      ],
      [
        'reads of a store what is no object',
        () => `ls -A '${ground.dataDir}'/stores/*/ '${ground.dataDir}'/stores/*/*/ | grep -vxE 'objects|web.git|.*:|'`,
      ],
      [
        'writes into a store',
        () =>
          `cd '${ground.dataDir}'/stores/*/web.git && { touch objects/x || touch x || touch ../x || touch ../../x; }`,
      ],
      ['reads the keys of the user', () => 'ls -A ~/.ssh ~/.aws ~/.config/gh 2>/dev/null | grep -v : | grep .'],
      ['reads the shadow file', () => 'cat /etc/shadow | grep .'],
      [
        'reads secrets that are mounted',
        () => 'ls -A /run /var/run/secrets | grep -vE "resolv|systemd|taskyard|:$" | grep .',
      ],
      ['signals the server', () => `kill -0 ${ground.server.pid}`],
      ['writes to the system', () => 'touch /etc/taskyard-was-here /usr/taskyard-was-here'],
      ['writes to the home folder', () => 'echo x >> ~/.taskyard-was-here'],
      ['changes the kernel', () => 'echo 1 > /proc/sys/kernel/panic'],
      ['mounts', () => 'mount -t tmpfs none /mnt'],
      ['makes a device', () => 'mknod ./disk b 8 0 && head -c 1 ./disk'],
      ['leaves its root', () => 'chroot /proc/1/root true && ls /proc/1/root/root/.ssh'],
      ['traces another process', () => `cat /proc/${ground.server.pid}/maps`],
      [
        'writes what others find in /tmp',
        () => 'touch /tmp/taskyard-was-here && test -e /proc/1/root/tmp/taskyard-was-here && false',
      ],
    ];
    let through: string[];
    beforeAll(async () => {
      through = await ground.through(project.project_id, attacks);
    });

    it.each(attacks)('%s', (name) => expect(through).not.toContain(name));

    it('leaves something where others find it', () => {
      for (const place of ['/etc', '/usr', '/tmp', process.env.HOME ?? '/root'])
        expect(readdirSync(place).filter((name) => name.includes('taskyard-was-here'))).toEqual([]);
    });

    it('a setup script reads the environment of the server', async () => {
      const { project_id } = await givenProject(ground.server, {
        setup_script: '! tr "\\0" "\\n" < /proc/$PPID/environ | grep DATABASE_URL || exit 7',
      });
      expect(await givenEndedAttempt(ground.kanban, project_id)).toMatchObject({ state: 'completed' });
    });

    it('a run answers its own approval request', async () => {
      const code = `fetch('${ground.url}/api/approvals').then((a) => console.log('THROUGH ' + a.ok))`;
      const { task_id } = await ground.kanban.call('create_task', { project_id: project.project_id, title: 'x' });
      const start = { task_id, executor: 'DEMO', prompt: `run ${node(code)}` };
      const { attempt_id } = await ground.kanban.call('start_task_attempt', start);
      await untilEnded(ground.kanban, attempt_id as string);
      const log = await ground.kanban.call('tail_attempt_logs', { attempt_id, limit: 100 });
      expect(JSON.stringify(log)).toContain('fetch failed');
    });
  });

  describe('S1: what git of the user would run later', () => {
    const users = () => `'${project.repository.dir}'`;
    const attacks: Attack[] = [
      ['a hook', () => `mkdir -p ${users()}/.git/hooks; echo "touch /tmp/x" > ${users()}/.git/hooks/pre-commit`],
      ['a setting', () => `git -C ${users()} config core.fsmonitor "touch /tmp/x"`],
      ['a setting by hand', () => `echo "[alias]" >> ${users()}/.git/config`],
      ['attributes', () => `mkdir -p ${users()}/.git/info; echo "* filter=x" >> ${users()}/.git/info/attributes`],
      ['the checkout of the user', () => `echo x >> ${users()}/readme.md`],
      ['a worktree', () => `git --git-dir=${users()}/.git worktree add -q /tmp/x`],
      ['a hook where objects are borrowed from', () => 'cd "$(tail -1 .git/objects/info/alternates)/.."; touch x'],
      ['a link into it', () => `ln -sfn ${users()}/.git/hooks .git/hooks; echo x > .git/hooks/pre-commit`],
      [
        'settings of its own',
        () => 'git config core.fsmonitor x; git config core.hooksPath /tmp; git config alias.log !x',
      ],
    ];
    it(`by ${attacks.map(([name]) => name).join(', ')}`, async () => {
      const expectUntouched = untouched(project.repository);
      await ground.through(project.project_id, attacks);
      expectUntouched();
    });
  });

  describe('S10: processes that leave the supervision', () => {
    const ways: WayOut[] = [
      ['setsid', (n) => `setsid sleep ${n} & sleep 0.2`],
      ['setsid with an empty environment', (n) => `setsid env -i sleep ${n} & sleep 0.2`],
      ['without its mark', (n) => `unset TASKYARD_RUN; setsid sleep ${n} & sleep 0.2`],
      ['a daemon of a daemon', (n) => `(setsid env -i sh -c "setsid sleep ${n} & exit" &); sleep 0.2`],
      ['deaf to signals', (n) => `setsid env -i sh -c "trap '' TERM INT HUP; sleep ${n}; :" & sleep 0.2`],
      ['forty at once', (n) => `for i in $(seq 40); do setsid env -i sleep ${n} & done; sleep 0.2`],
    ];
    let outliving: string[];
    beforeAll(async () => {
      outliving = await ground.outliving(project.project_id, ways);
    });

    it.each(ways)('%s', (name) => expect(outliving).not.toContain(name));

    it('a stop by force is outlived', async () => {
      const time = `8${process.pid}`;
      const { attempt_id } = await givenAttempt(
        ground.kanban,
        project.project_id,
        `setsid env -i sleep ${time} & echo on; wait`,
      );
      await untilSaid(ground.kanban, attempt_id as string, 'on');
      await ground.kanban.call('stop_attempt', { attempt_id, force: true });
      await eventually('its end', () => processesTyped(`sleep ${time}`).length === 0);
    });
  });

  describe('held: runs that eat the machine', () => {
    it('memory', async () => {
      const { limits } = await ground.rest.does('GET', '/api/executors');
      const code =
        'const all = []; for (let n = 0; n < 100; n += 1) all.push(Buffer.alloc(1e7, 1)); console.log(all.length)';
      const { final_message } = await run(`'${process.execPath}' -e '${code}'; true`);
      if (limits.memory !== 'none') expect(final_message ?? '').not.toContain('100');
    });

    it('processes', async () => {
      const { limits } = await ground.rest.does('GET', '/api/executors');
      const code =
        "const { spawn } = require('node:child_process'); let made = 0; " +
        'const count = () => (made += 1); const ignore = () => {}; ' +
        "for (let n = 0; n < 300; n += 1) spawn('sleep', ['9']).on('spawn', count).on('error', ignore); " +
        'setTimeout(() => { console.log(made); process.exit(); }, 500)';
      const { attempt_id } = await run(node(code));
      const [count = 0] = (await allRawLines(ground.kanban, attempt_id as string)).map(Number).filter((n) => n > 0);
      if (limits.processes !== 'none') expect(count).toBeLessThanOrEqual(200);
    });
  });

  describe('held: log bombs', () => {
    it.each([
      ['lines without end', "head -c 3000000 /dev/zero | tr '\\0' '\\n'"],
      ['one line without end', "head -c 10000000 /dev/zero | tr '\\0' x"],
      ['zeros', 'head -c 10000000 /dev/zero'],
      ['noise', 'head -c 10000000 /dev/urandom'],
      ['half characters', "for i in $(seq 20000); do printf '\\xf0\\x9f\\n'; done"],
      ['control characters', "head -c 3000000 /dev/zero | tr '\\0' '\\33'"],
    ])('%s', async (_, script) => {
      const { attempt_id, state } = await run(script);
      expect(state).toBe('completed');
      const lines = await allRawLines(ground.kanban, attempt_id as string);
      expect(lines.join('\n').length).toBeLessThanOrEqual(1.1 * MEGABYTE);
    });
  });

  describe('S10', () => {
    it('a run outlives kill -9 of its server', async () => {
      const time = `6${process.pid}`;
      const script = `setsid env -i sleep ${time} & echo on; wait`;
      const { attempt_id } = await givenAttempt(ground.kanban, project.project_id, script);
      await untilSaid(ground.kanban, attempt_id as string, 'on');
      await ground.server.end('SIGKILL');
      await eventually('its end', () => processesTyped(`sleep ${time}`).length === 0);
      ground.server = await ground.server.startAgain();
    });
  });
});
