import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentGround } from './agent-ground.js';
import { describeEach } from './cli/installed-clis.js';

const NOBODY = 65_534;
const isRoot = process.getuid!() === 0;
const walls = path.join(import.meta.dirname, 'inside-walls.mjs');

/** Whose server it is, as a command in front of it: this user's, and one that root becomes. */
const servers: [whose: string, as: string[], owner: number][] = [
  [isRoot ? 'of root' : 'of this user', ['env'], process.getuid!()],
  ...(isRoot ? [['of an unprivileged user', asNobody(), NOBODY] as [string, string[], number]] : []),
];

function asNobody(): string[] {
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
}
const works = (...[program, ...args]: string[]): boolean => spawnSync(program!, args).status === 0;
/** A user who may read this folder and make namespaces. */
const isPossible = (as: string[]): boolean =>
  works(...as, 'bwrap', '--unshare-user', '--ro-bind', '/', '/', 'true') && works(...as, 'test', '-r', walls);

describeEach(['CODEX'], (cli) => {
  describe.each(servers)('its own sandbox inside that of a server %s', (_, as, owner) => {
    const itNests = isPossible(as) ? it : it.skip;
    let home: string;
    let work: string;
    beforeAll(() => {
      const homes = path.join(import.meta.dirname, '../../.agent-clis');
      home = mkdtempSync(path.join(homes, 'home-')); // not below the temporary folder, which is another one inside
      work = path.join(home, 'work');
      mkdirSync(work);
      for (const folder of [home, work]) chownSync(folder, owner, owner);
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    itNests(
      'starts, lets its work and a temporary folder be written, and nothing beside them',
      () => {
        const script = 'echo in > inside; echo tmp > /tmp/own && cat /tmp/own; echo out > ../outside || echo refused';
        const sandbox = ['sandbox', '-c', 'sandbox_mode="workspace-write"', '--', 'sh', '-c', script];
        const [program, ...args] = [...as, process.execPath, walls, work, cli.program, ...sandbox];
        const { stdout, stderr } = spawnSync(program!, args, {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: work, CODEX_HOME: work },
        });
        expect({ stdout, stderr }).toMatchObject({ stdout: 'tmp\nrefused\n' });
        expect(readFileSync(path.join(work, 'inside'), 'utf8')).toBe('in\n');
        expect(existsSync(path.join(home, 'outside'))).toBe(false);
      },
      60_000,
    );
  });

  describe('its own sandbox in a run', () => {
    let ground: AgentGround;
    beforeAll(async () => {
      ground = await AgentGround.start(cli);
    });
    afterAll(() => ground?.stop());

    (isPossible(['env']) ? it : it.skip)('lets a command of the PLAN variant read, and not write', async () => {
      const prompt = 'Write two files, if you can.';
      const attempt_id = await ground.begin('edit', prompt, { variant: 'PLAN' });
      await ground.ended(attempt_id);
      const [said] = ground.model.asked(prompt).at(-1)!.results;
      expect(said).toContain('here:'); // it ran
      expect(said).toContain('Read-only file system');
      const { files } = await ground.client.call('get_attempt_changes', { attempt_id });
      expect(files).toEqual([]);
    });
  });
});
