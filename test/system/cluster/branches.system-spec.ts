import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { givenAttempt, givenTask, untilEnded, untilLine } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { GitSandbox, type GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';

describe('the branches of a repository by URL', () => {
  const box = new GitSandbox();
  const ground = ClusterGround.use();
  let origin: GitRepository;
  let project_id: string;
  let repo_id: string;

  const cloneOf = (runner: string): string => ground.path(runner, 'repos', `${repo_id}.git`);
  const newBranch = (name: string): void => {
    origin.git('checkout', '--quiet', '-b', name, 'main');
    origin.write({ 'a.txt': `${name}\n` });
    origin.commit(name);
    origin.git('checkout', '--quiet', 'main');
  };
  const register = (status: number, name: string, default_target_branch: string): Promise<Json> => {
    const repo = { url: `file://${origin.dir}`, name: 'web', default_target_branch };
    return ground.api.rest.answers(status, 'POST', '/api/projects', { name, repos: [repo] });
  };
  /** Which is asked least then. */
  const keepBusy = async (): Promise<() => Promise<void>> => {
    const gate = ground.api.gates.gate();
    const { attempt_id } = await givenAttempt(ground.client, project_id, `echo ready; ${gate.wait}`);
    await untilLine(ground.client, attempt_id as string, 'ready');
    return async () => {
      gate.open();
      await untilEnded(ground.client, attempt_id as string);
    };
  };
  const start = async (target_branch: string): Promise<Json> => {
    const task_id = await givenTask(ground.client, project_id, 'cat a.txt');
    return { task_id, executor: 'SHELL', repos: [{ repo_id, target_branch }] };
  };

  beforeAll(async () => {
    origin = box.repository('app', { 'a.txt': 'a\n' });
    newBranch('dev');
    await ground.runner('one');
    ({ project_id } = (await register(201, 'Cloned', 'dev')) as { project_id: string });
    const { repos } = await ground.api.rest.does('GET', `/api/projects/${project_id}/repos`);
    ({ repo_id } = repos[0] as { repo_id: string });
  });
  afterAll(() => box.remove());

  it('are those of its origin by now, also of a runner that never had it', async () => {
    const release = await keepBusy();
    await ground.runner('two');
    expect([existsSync(cloneOf('one')), existsSync(cloneOf('two'))]).toEqual([true, false]);
    newBranch('later');
    expect(await ground.client.refused('start_task_attempt', await start('none'))).toMatchObject({
      code: 'branch_unknown',
      details: { repo_name: 'web', target_branch: 'none', known: ['main', 'dev', 'later'] },
    });
    expect(existsSync(cloneOf('two'))).toBe(true); // it was asked
    const { attempt_id } = await ground.client.call('start_task_attempt', await start('later'));
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ final_message: 'later' });
    await release();
  });

  it('are looked at where it is cloned; without the one that is wanted no clone stays', async () => {
    const clones = () => ['one', 'two'].map((name) => readdirSync(ground.path(name, 'repos')).length);
    const before = clones();
    expect(await register(400, 'Refused', 'none')).toMatchObject({
      code: 'branch_unknown',
      details: { repo_name: 'web', target_branch: 'none', known: ['main', 'dev', 'later'] },
    });
    expect(clones()).toEqual(before);
    const { project_id: id } = await register(201, 'Taken', 'origin/later');
    expect(clones().reduce((a, b) => a + b)).toBe(before.reduce((a, b) => a + b) + 1);
    const { attempt_id } = await givenAttempt(ground.client, id as string, 'cat a.txt');
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ final_message: 'later' });
  });
});
