import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenProject } from '../support/board.js';
import { eventually, processesTyped } from '../support/eventually.js';
import { onlyWith } from '../support/machine.js';

const MEGABYTE = 1024 * 1024;

onlyWith('bubblewrap').describe('files that are too much for git, behind bubblewrap', () => {
  const ground = AttackGround.use({ ISOLATION: 'bubblewrap', RUN_MEMORY_MAX: String(512 * MEGABYTE) });
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(ground.server));
  });
  const left = async (script: string): Promise<string> =>
    (await givenEndedAttempt(ground.kanban, project_id, script)).attempt_id as string;
  /** Bytes that the server itself has held at most. */
  const peak = (): number =>
    Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${ground.server.pid}/status`, 'utf8'))![1]) * 1024;

  describe('S10, S11: the server works on them without a limit', () => {
    const lines = "head -c 60000000 /dev/zero | tr '\\0' '\\n' > big.txt";
    it.each([
      ['60 MB of newlines', lines],
      ['60 MB of newlines in the index', `${lines}; git add .`],
      ['60 MB of newlines in a commit', `${lines}; git add .; git -c user.name=a -c user.email=a@b commit -qm big`],
      ['60 MB of newlines in place of a file', `${lines}; mv big.txt readme.md`],
      ['6 GB of nothing', 'truncate -s 6G big.txt'],
      ['6 GB of nothing in place of a file', 'truncate -s 6G readme.md'],
    ])('%s', async (_, script) => {
      const attempt_id = await left(script);
      const changes = await ground.kanban.call('get_attempt_changes', { attempt_id });
      expect(changes.blocked).toBe(true);
      const patch = await ground.kanban.call('get_attempt_patch', { attempt_id, paths: ['web'] });
      expect([patch.blocked, patch.patch]).toEqual([true, null]);
      const { repos } = await ground.kanban.call('get_attempt_delivery', { attempt_id });
      expect(repos).toMatchObject([{ repo_name: 'web' }]);
      expect(peak()).toBeLessThan(1024 * MEGABYTE);
    });
  });

  it('S10: git inside the walls outlives kill -9 of the server', async () => {
    const attempt_id = await left('truncate -s 6G big.txt');
    const adding = () => processesTyped('git update-index --add', `GIT_WORK_TREE=${ground.dataDir}/`);
    const cut = ground.kanban.call('merge_attempt', { attempt_id }).catch(() => undefined);
    await eventually('git to add it', () => adding().length > 0);
    await ground.server.end('SIGKILL');
    await cut;
    await eventually('its end', () => adding().length === 0);
    ground.server = await ground.server.startAgain();
  });
});
