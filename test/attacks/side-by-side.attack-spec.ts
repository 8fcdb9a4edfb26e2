import { beforeAll, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenAttempt, givenEndedAttempt, givenProject, type Project, untilEnded } from '../support/board.js';
import { bytesBelow, untouched } from '../support/folder-bytes.js';
import { onlyWith } from '../support/machine.js';
import type { Json } from '../support/mcp-client.js';

const AS_AGENT = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ';

onlyWith('bubblewrap').describe('forty attacks side by side, behind bubblewrap', () => {
  const ground = AttackGround.use({ ISOLATION: 'bubblewrap', MAX_CONCURRENT_EXECUTIONS: '8' });
  let projects: Project[];
  let victims: Json[];
  beforeAll(async () => {
    projects = [await givenProject(ground.server), await givenProject(ground.server)];
    const committed = `${AS_AGENT}echo kept > kept.txt; git add .; git commit -qm kept; echo more > more.txt`;
    victims = await Promise.all(projects.map((one) => givenEndedAttempt(ground.kanban, one.project_id, committed)));
  }, 60_000);

  const worktree = ({ attempt_id }: Json) => `${ground.dataDir}/worktrees/${attempt_id as string}`;
  const refs = ({ attempt_id }: Json) => `${ground.dataDir}/stores/${attempt_id as string}/web.git/refs`;

  /** On a repository of a user and an attempt of somebody else. */
  const attacks = (user: string, victim: Json): string[] => [
    `git push -qf '${user}' HEAD:refs/heads/main`,
    `git push -qf '${user}' HEAD:refs/heads/${victim.workspace_branch as string}`,
    `git push -q '${user}' :refs/heads/${victim.workspace_branch as string}`,
    `git rev-parse HEAD > '${user}/.git/refs/heads/main'`,
    `mkdir -p '${user}/.git/hooks'; echo 'touch /tmp/x' > '${user}/.git/hooks/post-commit'`,
    `git -C '${user}' config core.fsmonitor 'touch /tmp/x'`,
    `rm -rf '${user}'; rm -rf '${worktree(victim)}' '${refs(victim)}'`,
    `for one in $(cat .git/objects/info/alternates); do rm -rf "$one"/*; done`,
    `echo x > '${worktree(victim)}/web/kept.txt'`,
    `git -C '${worktree(victim)}/web' commit -qam gone`,
    `git --git-dir='${refs(victim)}/..' update-ref refs/taskyard/head HEAD`,
    `rm -rf .git/refs; ln -s '${refs(victim)}' .git/refs`,
    `ln -sf '${user}/.git/index' .git/index; echo x > x.txt`,
    `rm -rf .git/objects; ln -s '${user}/.git/objects' .git/objects`,
    `rm -rf .git; echo 'gitdir: ${user}/.git' > .git`,
    `rm -rf .git; ln -s '${worktree(victim)}/web/.git' .git`,
    `git config core.worktree '${user}'; git checkout -q -f HEAD; git clean -qfdx`,
    `git replace -f HEAD $(git commit-tree -m x HEAD^{tree}); git gc -q --prune=now`,
    `git worktree add -qf ../other; git branch -f main HEAD; git tag -f kept`,
    `git checkout -q --orphan ${victim.workspace_branch as string}; echo x > x; git add .; git commit -qm x`,
  ];

  it('S1, S2, S6: leave repositories, worktrees and stores of others as they were', async () => {
    const expectations = projects.map(({ repository }) => untouched(repository));
    const bytes = () => victims.map((one) => [bytesBelow(worktree(one)), bytesBelow(refs(one))]);
    const tips = () =>
      projects.map(({ repository }, at) =>
        repository.git('rev-parse', 'main', victims[at]!.workspace_branch as string),
      );
    const before = { bytes: bytes(), tips: tips() };
    const all = projects.flatMap(({ project_id }, at) =>
      attacks(projects[1 - at]!.repository.dir, victims[at]!).map((script) => ({ project_id, script })),
    );
    expect(all).toHaveLength(40);
    const begun = await Promise.all(
      all.map(({ project_id, script }) => givenAttempt(ground.kanban, project_id, `${AS_AGENT}(${script}); true`)),
    );
    const ended = await Promise.all(
      begun.map(async ({ attempt_id }) => {
        const { state } = await untilEnded(ground.kanban, attempt_id as string);
        for (const name of ['get_attempt_changes', 'get_attempt_delivery'])
          await ground.kanban.sdk.callTool({ name, arguments: { attempt_id } });
        return state as string;
      }),
    );
    expect(new Set(ended)).toEqual(new Set(['completed']));
    await Promise.all(begun.map(({ task_id }) => ground.rest.send('DELETE', `/api/tasks/${task_id as string}`)));
    for (const expectUntouched of expectations) expectUntouched();
    expect({ bytes: bytes(), tips: tips() }).toEqual(before);
    for (const { repository } of projects) expect(repository.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });
});
