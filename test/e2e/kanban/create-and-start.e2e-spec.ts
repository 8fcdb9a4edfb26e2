import { beforeEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';
import { givenRepos } from '../../support/runs.js';

describe('a task that is created and started in one call', () => {
  const board = Board.share();
  let project_id: string;
  let repository: GitRepository;
  beforeEach(async () => {
    ({ project_id, repository } = await board.project());
  });

  const create = (more: object) => board.kanban.call('create_task', { project_id, title: 'Say hello', ...more });
  const refused = async (more: object) =>
    (await board.kanban.refused('create_task', { project_id, title: 'Say hello', ...more })).code;
  const titles = async () =>
    ((await board.kanban.call('list_tasks', { project_id })).tasks as Json[]).map(({ title }) => title as string);

  it('has an attempt, and both only once', async () => {
    const call = { description: 'echo hello', executor: 'shell', request_id: `${project_id}-started` };
    const made = await create(call);
    expect(made).toEqual({ task_id: expect.any(String), attempt_id: expect.any(String) });
    expect(await create(call)).toEqual({ ...made, replayed: true });
    expect(await board.untilEnded(made.attempt_id as string)).toMatchObject({
      state: 'completed',
      task_id: made.task_id,
      final_message: 'hello',
    });
    expect((await board.kanban.call('list_task_attempts', { task_id: made.task_id })).attempts).toHaveLength(1);
    expect(await titles()).toEqual(['Say hello']);
    expect(await refused({ ...call, description: 'echo other' })).toBe('idempotency_conflict');
  });

  it('begins on the branch that is named, in every repository', async () => {
    repository.git('branch', 'release');
    repository.git('checkout', '--quiet', 'release');
    repository.write({ 'release.txt': 'here\n' });
    repository.commit('release');
    repository.git('checkout', '--quiet', 'main');
    const start = { description: 'cat release.txt', executor: 'SHELL', target_branch: 'release' };
    const { attempt_id } = await create(start);
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({ final_message: 'here' });
    const several = await givenRepos(board.server, [{ name: 'one' }, { name: 'two' }]);
    expect(await refused({ ...start, project_id: several })).toBe('branch_unknown');
  });

  it('is not created where it cannot be started', async () => {
    expect(await refused({ executor: 'NOBODY' })).toBe('executor_unknown');
    expect(await refused({ executor: 'SHELL', target_branch: 'nowhere' })).toBe('branch_unknown');
    expect(await refused({ variant: 'PLAN' })).toBe('invalid_argument');
    expect(await refused({ target_branch: 'main' })).toBe('invalid_argument');
    expect(await refused({ executor: 'SHELL', project_id: '0198c0de-0000-7000-8000-000000000001' })).toBe(
      'project_not_found',
    );
    expect(await titles()).toEqual([]);
  });
});
