import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenProject, type Project } from '../support/board.js';
import { bytesBelow, untouched } from '../support/folder-bytes.js';
import { onlyWith } from '../support/machine.js';
import type { Json } from '../support/mcp-client.js';

onlyWith('bubblewrap').describe('what a run borrows, behind bubblewrap', () => {
  const ground = AttackGround.use({ ISOLATION: 'bubblewrap' });
  let project: Project;
  let victim: Json;
  beforeAll(async () => {
    project = await givenProject(ground.server);
    project.repository.git('tag', 'kept');
    victim = await givenEndedAttempt(ground.kanban, project.project_id, 'echo secret > secret.txt; git tag own');
  });

  const users = () => project.repository.dir;
  const store = () => `${ground.dataDir}/stores/${victim.attempt_id as string}`;
  const others = () => `${ground.dataDir}/worktrees/${victim.attempt_id as string}`;

  describe('S6: a run moves refs or deletes objects that are not its own', () => {
    it.each<[string, () => string]>([
      ['main of the user, in its files', () => `git rev-parse HEAD > '${users()}/.git/refs/heads/main'`],
      ['main of the user, by a push', () => `git push -qf '${users()}' HEAD:refs/heads/main`],
      ['a tag of the user', () => `git push -qf '${users()}' HEAD:refs/tags/kept :refs/tags/kept`],
      ['the branch of another attempt', () => `git push -qf '${users()}' HEAD:${victim.workspace_branch as string}`],
      ['the refs of a store', () => `git --git-dir='${store()}/web.git' update-ref refs/taskyard/head HEAD`],
      ['the refs of its own store', () => 'cd "$(head -1 .git/objects/info/alternates)/.." && echo x > refs'],
      ['objects, by removing them', () => 'for one in $(cat .git/objects/info/alternates); do rm -rf "$one"/*; done'],
      [
        'objects, by writing others',
        () => 'for one in $(cat .git/objects/info/alternates); do cp -r .git/objects/. $one; done',
      ],
      [
        'objects, by a repack',
        () => 'git repack -adlq; git gc -q --prune=now; git prune --expire=now; git prune-packed',
      ],
      ['objects, by a repack of the lender', () => `GIT_OBJECT_DIRECTORY='${users()}/.git/objects' git repack -adq`],
      ['objects, by their mode', () => 'for one in $(cat .git/objects/info/alternates); do chmod -R 000 "$one"; done'],
      ['objects, by a mount', () => `unshare -Ur mount --bind /tmp '${users()}/.git/objects'`],
      ['lenders of the user', () => `echo /root > '${users()}/.git/objects/info/alternates'`],
      ['files of another attempt', () => `echo x > '${others()}/web/secret.txt'; rm -rf '${others()}'`],
      ['files of another attempt, by a link', () => `ln -s '${others()}' ../x; echo x > ../x/web/secret.txt`],
      ['commits of another attempt, by fetching them', () => `git fetch -q '${others()}/web' HEAD:stolen`],
    ])('%s', async (_, script) => {
      const expectUntouched = untouched(project.repository);
      const branch = project.repository.git('rev-parse', victim.workspace_branch as string);
      const before = [bytesBelow(store()), bytesBelow(others())];
      const { state, failure_summary } = await givenEndedAttempt(
        ground.kanban,
        project.project_id,
        `(${script()}); true`,
      );
      expect([state, failure_summary]).toEqual(['completed', null]);
      expectUntouched();
      expect(project.repository.git('rev-parse', victim.workspace_branch as string)).toBe(branch);
      expect([bytesBelow(store()), bytesBelow(others())]).toEqual(before);
    });
  });

  it('S6: a later attempt finds everything as it was', async () => {
    const { state, final_message } = await givenEndedAttempt(
      ground.kanban,
      project.project_id,
      'git fsck; cat readme.md',
    );
    expect([state, final_message]).toEqual(['completed', '# hello']);
    expect(project.repository.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });
});
