import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { allRawLines, givenEndedAttempt, givenProject } from '../support/board.js';
import { onlyWith } from '../support/machine.js';

/** Whether this machine lets a user make the namespaces that a sandbox has. */
const areGiven =
  spawnSync('bwrap', [
    '--unshare-user',
    '--uid',
    '1',
    '--unshare-pid',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    'true',
  ]).status === 0;

onlyWith('bubblewrap').describe('behind bubblewrap', () => {
  const ground = AttackGround.use({
    ISOLATION: 'bubblewrap',
    DATABASE_URL: '', // embedded, so that its password lies in DATA_DIR
    RUN_MEMORY_MAX: String(256 * 1024 * 1024),
  });
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(ground.server));
    const lines = await printed('mount -t tmpfs t /mnt && test -s /etc/hostname && echo THROUGH');
    if (areGiven) expect(lines).toEqual(['THROUGH']); // what is allowed gets through
  });

  /** What the script prints where it makes itself the root of a namespace. */
  async function printed(script: string): Promise<string[]> {
    const prompt = `unshare -Ur -m -C -p -f sh -c '${script}'; true`;
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id, prompt);
    return allRawLines(ground.kanban, attempt_id as string);
  }

  describe('S1: a script that makes namespaces of its own', () => {
    it.each<[string, () => string]>([
      ['uncovers the data folder', () => `umount "${ground.dataDir}" && cat "${ground.dataDir}/postgres/password"`],
      ['uncovers the secrets', () => 'umount /run && ls -A /run | grep .'],
      ['writes to the system', () => 'mount -o remount,bind,rw / && touch /etc/taskyard-was-here'],
      ['looks under the root', () => `mkdir /tmp/r && mount --bind / /tmp/r && ls "/tmp/r${ground.dataDir}/postgres"`],
      [
        'changes the kernel by a /proc of its own',
        () => 'mkdir /tmp/p && mount -t proc p /tmp/p && cat /tmp/p/sys/kernel/panic > /tmp/p/sys/kernel/panic',
      ],
      ['changes the kernel', () => 'umount /proc/sys; cat /proc/sys/kernel/panic > /proc/sys/kernel/panic'],
      [
        'changes devices by a /sys of its own',
        () => 'mkdir /tmp/s && mount -t sysfs s /tmp/s && cat /tmp/s/power/state > /tmp/s/power/state',
      ],
      ['makes a device', () => 'mknod /tmp/disk b 8 0 && head -c 1 /tmp/disk'],
    ])('%s', async (_, script) => {
      expect(await printed(`${script()} && echo THROUGH`)).not.toContain('THROUGH');
      expect(existsSync('/etc/taskyard-was-here')).toBe(false);
    });

    it('lifts its limits', async () => {
      const { limits } = await ground.rest.does('GET', '/api/executors');
      const mounts = '(mount -t cgroup -o memory g /tmp/g || mount -t cgroup2 g /tmp/g)';
      const files = 'memory.max memory.swap.max memory.memsw.limit_in_bytes memory.limit_in_bytes';
      const lift = `for one in ${files}; do echo -1 > $one; echo max > $one; done`;
      const greed = `exec "${process.execPath}" -e "Buffer.alloc(4e8, 1); console.log(42)"`;
      const lines = await printed(`mkdir /tmp/g; ${mounts} && cd /tmp/g && ${lift}; ${greed}`);
      if (limits.memory === 'cgroup') expect(lines).not.toContain('42');
    });
  });
});
