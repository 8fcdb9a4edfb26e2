import { beforeEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { givenWorktree } from '../../support/delivery-ground.js';
import type { GitRepository } from '../../support/git-repository.js';
import { eventsOf } from '../../support/runs.js';
import { userCheckout } from '../../support/user-checkout.js';

describe('bringing the branch of an attempt up to date', () => {
  const board = Board.share();
  let repository: GitRepository;
  let project_id: string;
  let attempt_id: string;
  let tree: GitRepository;

  beforeEach(async () => {
    ({ project_id, repository } = await board.project({ files: { 'readme.md': 'base\n', 'other.md': 'base\n' } }));
    const made = await givenWorktree(board, project_id);
    tree = made.tree;
    attempt_id = made.attempt.attempt_id as string;
  });

  const ours = (files: Record<string, string>) => {
    tree.write(files);
    return tree.commit('ours');
  };
  const theirs = (files: Record<string, string>) => {
    repository.write(files);
    return repository.commit('theirs');
  };
  const update = (action: string, more: object = {}) =>
    board.kanban.call('update_attempt_branch', { attempt_id, action, ...more });
  const refused = async (action: string, more: object = {}) =>
    (await board.kanban.refused('update_attempt_branch', { attempt_id, action, ...more })).code;

  it('takes the target in, and counts the changes of the attempt from there on', async () => {
    ours({ 'readme.md': 'ours\n' });
    theirs({ 'other.md': 'theirs\n' });
    const before = userCheckout(repository);
    const result = await update('start', { request_id: 'update-1' });
    expect(result).toMatchObject({
      attempt_id,
      action: 'start',
      state: 'ready',
      repos: [{ repo_name: 'web', status: 'updated', head: tree.head, conflict: null }],
    });
    expect(await update('start', { request_id: 'update-1' })).toEqual({ ...result, replayed: true });
    expect((await update('start')).repos[0].status).toBe('up_to_date');
    expect((await board.kanban.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/readme.md']);
    expect(userCheckout(repository)).toEqual(before);
    expect(await eventsOf(board.server, attempt_id)).toContain('the target was taken into the branch');
  });

  it.each(['merge', 'rebase'])('leaves the conflict of a %s in the worktree until it is resolved', async (method) => {
    ours({ 'readme.md': 'ours\n' });
    const onto = theirs({ 'readme.md': 'theirs\n' });
    const { state, repos } = await update('start', { method });
    expect(state).toBe('conflicted');
    expect(repos[0]).toMatchObject({
      status: 'conflict',
      conflict: {
        repo_name: 'web',
        operation: method,
        target: { branch: 'main', commit: onto },
        file_count: 1,
        files: [{ path: 'web/readme.md', kind: 'content', ours: 'modified', theirs: 'modified', has_markers: true }],
      },
    });
    expect(repos[0].conflict.repo_id).toBe(repos[0].repo_id);
    expect(await board.kanban.call('get_attempt_delivery', { attempt_id })).toMatchObject({
      state: 'conflicted',
      repos: [{ preview: null, operation: { operation: method, files: [{ resolved: false }] } }],
    });
    expect((await board.kanban.refused('merge_attempt', { attempt_id })).code).toBe('operation_in_progress');
    expect(await refused('start')).toBe('operation_in_progress');
    expect(await refused('continue')).toBe('conflicts_unresolved');
    tree.write({ 'readme.md': 'both\n' });
    tree.git('add', 'readme.md');
    expect(await board.kanban.call('get_attempt_delivery', { attempt_id })).toMatchObject({ state: 'updating' });
    expect(await update('continue')).toMatchObject({ state: 'ready', repos: [{ status: 'updated', head: tree.head }] });
    expect(await refused('continue')).toBe('no_operation');
  });

  it('gives an update up, whatever was resolved', async () => {
    const head = ours({ 'readme.md': 'ours\n' });
    theirs({ 'readme.md': 'theirs\n' });
    expect(await refused('abort')).toBe('no_operation');
    expect(await refused('continue', { method: 'rebase' })).toBe('invalid_argument'); // which only a start has
    expect(await refused('start', { target_branch: 'nowhere' })).toBe('branch_unknown');
    await update('start');
    tree.write({ 'readme.md': 'half way\n' });
    tree.git('add', 'readme.md');
    expect(await update('abort')).toMatchObject({ state: 'conflicted', repos: [{ status: 'aborted', head }] });
    expect({ head: tree.head, status: tree.git('status', '--porcelain') }).toEqual({ head, status: '' });
    expect(await refused('abort')).toBe('no_operation');
  });

  it('commits uncommitted work first, as a merge does', async () => {
    tree.write({ 'readme.md': 'uncommitted\n' });
    theirs({ 'other.md': 'theirs\n' });
    expect(await update('start')).toMatchObject({ state: 'ready', repos: [{ status: 'updated' }] });
    expect(tree.git('status', '--porcelain')).toBe('');
    expect(tree.git('log', '-1', '--format=%s', 'HEAD^1')).toBe('Say hello');
  });

  it('lets wait_ms see a change that somebody else makes', async () => {
    ours({ 'readme.md': 'ours\n' });
    theirs({ 'other.md': 'theirs\n' });
    const [seen] = await Promise.all([
      board.kanban.call('get_attempt_delivery', { attempt_id, wait_ms: 20_000 }),
      new Promise((resolve) => setTimeout(resolve, 300)).then(() => update('start')),
    ]);
    expect(seen.repos[0]).toMatchObject({ behind: 0 });
  });

  it('never gives words to a shell, which would execute them: neither a conflict nor comments', async () => {
    const branch = 'rel$(touch${IFS}PWNED)';
    repository.git('branch', branch);
    const task_id = await board.task(project_id, 'Write the readme', 'echo ours > readme.md');
    const [repo] = (await board.kanban.call('list_repos', { project_id })).repos as { repo_id: string }[];
    const repos = [{ repo_id: repo!.repo_id, target_branch: branch }];
    const start = { task_id, executor: 'SHELL', repos };
    const { attempt_id: id } = await board.kanban.call('start_task_attempt', start);
    await board.untilEnded(id as string);
    const asked = { attempt_id: id, action: 'send' };
    for (const more of [{ resolve: true }, { comment_ids: [task_id] }, { resolve: true, prompt: 'echo hello' }])
      expect(await board.kanban.refused('follow_up', { ...asked, ...more })).toMatchObject({
        code: 'executor_takes_scripts',
        retryable: false,
        hint: expect.stringContaining('Send a script'),
      });
    const handed = { attempt_id: id, action: 'start', resolve: { prompt: 'echo hello' } };
    expect(await board.kanban.refused('update_attempt_branch', handed)).toMatchObject({
      code: 'executor_takes_scripts',
    });
    await board.kanban.call('follow_up', { ...asked, prompt: 'test ! -e PWNED' });
    expect(await board.untilEnded(id as string)).toMatchObject({ state: 'completed' });
  });
});
