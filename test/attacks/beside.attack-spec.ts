import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Attack, AttackGround, node, type WayOut } from '../support/attack-ground.js';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, type Project } from '../support/board.js';
import { eventually, processesTyped } from '../support/eventually.js';
import { untouched } from '../support/folder-bytes.js';
import { onlyWith } from '../support/machine.js';
import type { Json } from '../support/mcp-client.js';
import { untilSaid } from '../support/runs.js';

onlyWith('bubblewrap').describe('beside the server, in a container for runs', () => {
  const ground = AttackGround.use({
    ISOLATION: 'container',
    DATABASE_URL: '', // embedded, so that its password lies in DATA_DIR
    MAX_CONCURRENT_EXECUTIONS: '1',
  });
  let project: Project;
  beforeAll(async () => {
    project = await givenProject(ground.server);
  });

  const run = (script: string): Promise<Json> => givenEndedAttempt(ground.kanban, project.project_id, script);
  const socket = () => ground.settings.CELL_SOCKET!;
  const connect = (there: string) =>
    node(
      `const socket = require('net').connect('${there}'); socket.on('error', () => process.exit(1)); ` +
        `socket.on('data', () => process.exit(0)).on('close', () => process.exit(1))`,
    );

  describe('S1: a script with the power of the launcher', () => {
    const attacks: Attack[] = [
      ['reads the environment of its parents', () => 'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep ^DATA_DIR='],
      ['reads the password of the database', () => `cat '${ground.dataDir}'/postgres/*password*`],
      ['reads the token of the owner', () => `cat '${ground.dataDir}/local-token'`],
      ['lists the data folder', () => `ls -A '${ground.dataDir}' | grep -vxE 'worktrees|stores|lenses|repos'`],
      ['writes into a store', () => `touch '${ground.dataDir}'/stores/*/web.git/x`],
      ['writes into a lens', () => `touch '${ground.dataDir}/lenses/x'`],
      ['writes into a clone', () => `touch '${ground.dataDir}/repos/x'`],
      ['signals the server', () => `kill -0 ${ground.server.pid}`],
      ['traces the server', () => `cat /proc/${ground.server.pid}/maps`],
      [
        'calls the server as its owner',
        () => node(`fetch('${ground.url}/api/projects').then((a) => process.exit(a.ok ? 0 : 1))`),
      ],
      [
        'calls it through a process that hides',
        () => `setsid env -i ` + node(`fetch('${ground.url}/api/projects').then((a) => process.exit(a.ok ? 0 : 1))`),
      ],
      ['speaks to the launcher as the server', () => connect(socket())],
      ['speaks to the server as a stream of another', () => `${streams()} | grep -q . && ${namelessStream()}`],
    ];
    let through: string[];
    beforeAll(async () => {
      through = await ground.through(project.project_id, attacks);
    });

    it.each(attacks)('%s', (name) => expect(through).not.toContain(name));

    /** Names of sockets that the server holds; containers of a pod share them with their network. */
    const streams = () => `grep -ao '@taskyard-[0-9a-f]*' /proc/net/unix`;
    const namelessStream = () =>
      node(
        `const [name] = /@(taskyard-[0-9a-f]+)/.exec(require('fs').readFileSync('/proc/net/unix', 'utf8')).slice(1); ` +
          `const socket = require('net').connect('\\\\0' + name, () => socket.write('0'.repeat(32) + 'THROUGH')); ` +
          `socket.on('error', () => process.exit(1)).on('close', () => process.exit(1)); ` +
          `setTimeout(() => process.exit(0), 60000)`,
      );

    it('takes the place of the launcher for the next run', async () => {
      const fake =
        `const server = require('net').createServer((socket) => { console.log('THROUGH'); socket.end(); }); ` +
        `server.listen('${socket()}')`;
      const look = `test -S '${socket()}' && echo there && break; sleep 0.1`;
      const { attempt_id } = await run(`setsid env -i ${node(fake)} & for _ in $(seq 600); do ${look}; done`);
      expect(await allRawLines(ground.kanban, attempt_id as string)).toEqual(['there']);
      expect(await run('echo next')).toMatchObject({ final_message: 'next' });
    });
  });

  describe('S1: what git of the user would run later', () => {
    const users = () => `'${project.repository.dir}'`;
    const attacks: Attack[] = [
      ['a hook', () => `echo "touch /tmp/x" > ${users()}/.git/hooks/pre-commit`],
      ['a setting', () => `git -C ${users()} config core.fsmonitor "touch /tmp/x"`],
      ['the checkout of the user', () => `echo x >> ${users()}/readme.md`],
      ['settings of its own', () => 'git config core.fsmonitor x; git config core.hooksPath /tmp'],
    ];
    it(`by ${attacks.map(([name]) => name).join(', ')}`, async () => {
      const expectUntouched = untouched(project.repository);
      await ground.through(project.project_id, attacks);
      expectUntouched();
    });
  });

  it('S2: a link in its folder leads git to a file of the server', async () => {
    const { attempt_id } = await run(`ln -s '${path.join(ground.dataDir, 'local-token')}' linked; echo x > shown`);
    const { files } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/changes`);
    const { patch } = await ground.kanban.call('get_attempt_patch', { attempt_id, paths: files });
    expect(patch).not.toContain('ty_local_');
  });

  describe('S10: processes that leave the supervision', () => {
    const ways: WayOut[] = [
      ['setsid with an empty environment', (n) => `setsid env -i sleep ${n} & sleep 0.2`],
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
      const script = `setsid env -i sleep ${time} & echo on; wait`;
      const { attempt_id } = await givenAttempt(ground.kanban, project.project_id, script);
      await untilSaid(ground.kanban, attempt_id as string, 'on');
      await ground.kanban.call('stop_attempt', { attempt_id, force: true });
      await eventually('its end', () => processesTyped(`sleep ${time}`).length === 0);
    });
  });
});
