import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { givenAttempt, givenEndedAttempt, givenProject, givenTask, untilEnded } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { GitRepository } from '../../support/git-repository.js';
import type { McpClient } from '../../support/mcp-client.js';
import { eventsOf, runsOf, taskStatus } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

describe('repositories that are not as they should be', () => {
  const server = TestServer.use();
  let client: McpClient;

  beforeAll(async () => {
    client = await server.mcp();
  });

  const createProject = (repo: object) => server.rest.post('/api/projects', { name: 'Odd', repos: [repo] });
  const projects = async (): Promise<number> =>
    (await client.call('list_projects', { limit: 100 })).projects.length as number;

  it('refuses what is no repository, with the reason, and writes nothing', async () => {
    const before = await projects();
    const folder = server.repositories.path('plain-folder');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'file.txt'), '');
    const empty = new GitRepository(server.repositories.path('empty-repository'));
    empty.init();
    for (const where of [
      folder,
      path.join(folder, 'file.txt'),
      path.join(folder, 'missing'),
      empty.dir,
      'relative/path',
      '/',
    ]) {
      const { status, body } = await createProject({ path: where, name: 'web' });
      expect([where, status, body.code]).toEqual([where, 400, 'repo_invalid']);
      expect(body.details.reason).toEqual(expect.stringMatching(/\w/));
    }
    expect(await projects()).toBe(before);
  });

  it('refuses an unknown branch by name, and names those that are there', async () => {
    const { project_id, repo_id, repository } = await givenProject(server);
    repository.git('branch', 'release');
    expect(
      (await createProject({ path: repository.dir, name: 'web', default_target_branch: 'nope' })).body,
    ).toMatchObject({ code: 'branch_unknown', hint: expect.stringContaining('release') });
    const task_id = await givenTask(client, project_id);
    const names = ['release~1', '-b', '../release', 'HEAD', '@{-1}'];
    for (const target_branch of ['nope', 'refs/heads/release', 'release\0', ...names]) {
      const refused = await client.refused('start_task_attempt', {
        task_id,
        executor: 'SHELL',
        repos: [{ repo_id, target_branch }],
      });
      const code = names.includes(target_branch) ? 'invalid_argument' : 'branch_unknown';
      expect([target_branch, refused.code]).toEqual([target_branch, code]);
      if (code === 'branch_unknown') expect(refused.hint).toContain('main, release');
    }
    expect(await server.query('SELECT 1 FROM attempts WHERE task_id = $1', [task_id])).toEqual([]);
    expect(await taskStatus(client, task_id)).toBe('todo');
  });

  it('fails the run, and says why, where the repository vanished meanwhile; it goes on when it is back', async () => {
    const { project_id, repository } = await givenProject(server);
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'echo first');
    renameSync(repository.dir, `${repository.dir}-away`);
    const task_id = await givenTask(client, project_id);
    expect(await client.refused('start_task_attempt', { task_id, executor: 'SHELL' })).toMatchObject({
      code: expect.stringMatching(/^(git_failed|repo_invalid|branch_unknown)$/),
    });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo second' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringMatching(/\w/),
    });
    renameSync(`${repository.dir}-away`, repository.dir);
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo third' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'third',
    });
  });

  it('fails the run with what git said where no worktree can be made; a follow-up goes on once it can', async () => {
    const { project_id, repository } = await givenProject(server);
    const task_id = await givenTask(client, project_id);
    const inTheWay = path.join(repository.dir, '.git/refs/heads/ty'); // a file where git wants its folder
    writeFileSync(inTheWay, `${repository.head}\n`);
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringMatching(/^git failed: /),
    });
    expect(await taskStatus(client, task_id)).toBe('inreview');
    rmSync(inTheWay);
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo after all' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'after all',
    });
    expect(await runsOf(server, attempt_id as string)).toEqual(['codingagent failed', 'codingagent completed']);
  });

  it('carries 8 attempts at once on one repository, each in a worktree and on a branch of its own', async () => {
    const { project_id, repository } = await givenProject(server);
    const before = repository.checkout();
    const attempts = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        givenAttempt(
          client,
          project_id,
          `git switch --quiet --detach && git switch --quiet - && echo ${at} > mine.txt && git add . && ` +
            `git -c user.name=a -c user.email=a@b commit -qm ${at} && pwd`,
        ),
      ),
    );
    const ended = await Promise.all(attempts.map(({ attempt_id }) => untilEnded(client, attempt_id as string)));
    expect(ended.map(({ state, failure_summary }) => [state, failure_summary])).toEqual(
      Array(8).fill(['completed', null]),
    );
    expect(new Set(ended.map(({ final_message }) => final_message)).size).toBe(8);
    for (const [at, { attempt_id, workspace_branch }] of attempts.entries()) {
      expect((await client.call('get_attempt_file', { attempt_id, path: 'web/mine.txt' })).content).toBe(`${at}\n`);
      expect(repository.git('log', '-1', '--format=%s', workspace_branch as string)).toBe(String(at));
    }
    expect(repository.checkout()).toEqual(before);
    repository.git('fsck', '--strict');
  });
});

describe('a repository that another git has locked', () => {
  const server = TestServer.use({ MAX_CONCURRENT_EXECUTIONS: '1' });
  let client: McpClient;

  beforeAll(async () => {
    client = await server.mcp();
  });

  /** An attempt whose branch is locked before its worktree is made, which begins when `begin` is called. */
  async function givenLocked(): Promise<{ attempt_id: string; lock: string; begin: () => Promise<unknown> }> {
    const { project_id, repository } = await givenProject(server);
    const busy = await givenAttempt(client, project_id, 'sleep 600');
    const { attempt_id, workspace_branch } = await givenAttempt(client, project_id, 'echo in time');
    const lock = path.join(repository.dir, '.git', 'refs', 'heads', `${workspace_branch as string}.lock`);
    mkdirSync(path.dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    return {
      attempt_id: attempt_id as string,
      lock,
      begin: () => client.call('stop_attempt', { attempt_id: busy.attempt_id, force: true }),
    };
  }

  it('is waited for a moment', async () => {
    const { attempt_id, lock, begin } = await givenLocked();
    await begin();
    await eventually('the run to begin', async () =>
      (await eventsOf(server, attempt_id)).includes('codingagent running'),
    );
    await new Promise((resolve) => setTimeout(resolve, 150)); // it is tried three times, within half a second
    rmSync(lock);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'in time' });
  });

  it('fails the run, and says so; a follow-up goes on after the lock', async () => {
    const { attempt_id, lock, begin } = await givenLocked();
    await begin();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'Another git process holds a lock on the repository.',
    });
    rmSync(lock);
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo after the lock' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'after the lock' });
  });
});
