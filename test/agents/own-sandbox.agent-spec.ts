import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeEach } from './cli/installed-clis.js';

const NOBODY = 65_534;
const walls = path.join(import.meta.dirname, 'inside-walls.mjs');
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
/** An unprivileged user: this one, or one that root becomes, if that one may read this folder and make namespaces. */
const asUser = process.getuid!() === 0 ? asNobody : ['env'];
const works = (...[program, ...args]: string[]): boolean => spawnSync(program!, args).status === 0;
const isPossible =
  works(...asUser, 'bwrap', '--unshare-user', '--ro-bind', '/', '/', 'true') && works(...asUser, 'test', '-r', walls);

describeEach(['CODEX'], ({ program }) => {
  (isPossible ? describe : describe.skip)("its own sandbox inside an unprivileged server's", () => {
    let home: string;
    let work: string;
    beforeAll(() => {
      const homes = path.join(import.meta.dirname, '../../.agent-clis');
      home = mkdtempSync(path.join(homes, 'home-')); // not below the temporary folder, which is another one inside
      work = path.join(home, 'work');
      mkdirSync(work);
      if (process.getuid!() === 0) for (const folder of [home, work]) chownSync(folder, NOBODY, NOBODY);
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    it('starts, lets its work and a temporary folder be written, and nothing beside them', () => {
      const script = 'echo in > inside; echo tmp > /tmp/own && cat /tmp/own; echo out > ../outside || echo refused';
      const sandbox = ['sandbox', '-c', 'sandbox_mode="workspace-write"', '--', 'sh', '-c', script];
      const [as, ...user] = asUser;
      const { stdout, stderr } = spawnSync(as!, [...user, process.execPath, walls, work, program, ...sandbox], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: work, CODEX_HOME: work },
      });
      expect({ stdout, stderr }).toMatchObject({ stdout: 'tmp\nrefused\n' });
      expect(readFileSync(path.join(work, 'inside'), 'utf8')).toBe('in\n');
      expect(existsSync(path.join(home, 'outside'))).toBe(false);
    }, 60_000);
  });
});
