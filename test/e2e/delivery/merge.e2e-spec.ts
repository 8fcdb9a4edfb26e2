import { describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { gate, givenAttempt, type Project, untilEnded } from '../../support/board.js';
import { givenUncommittedWork, moveMain } from '../../support/delivery-ground.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';
import { eventsOf } from '../../support/runs.js';
import { userCheckout } from '../../support/user-checkout.js';

type Ground = Pick<Project, 'project_id' | 'repository'>;

describe('merging an attempt', () => {
  const board = Board.share();

  /** The user has another branch than the target checked out. */
  const ground = async (): Promise<Ground> => {
    const { project_id, repository } = await board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    return { project_id, repository };
  };
  const ended = async ({ project_id }: Ground, script = 'echo new > new.txt'): Promise<Json> =>
    board.endedAttempt(project_id, script);
  const worked = ({ project_id }: Ground, files?: Record<string, string>) =>
    givenUncommittedWork(board, project_id, files);
  const merge = (attempt_id: string, more: object = {}) => board.kanban.call('merge_attempt', { attempt_id, ...more });
  const delivery = (attempt_id: string) => board.kanban.call('get_attempt_delivery', { attempt_id });
  const filesOn = (repository: GitRepository, branch = 'main') =>
    repository.git('ls-tree', '-r', '--name-only', branch).split('\n');
  it('commits what is uncommitted, lands one commit, and closes the task', async () => {
    const place = await ground();
    const { attempt_id, task_id } = await ended(place);
    const before = userCheckout(place.repository);
    expect(await delivery(attempt_id)).toMatchObject({
      attempt_id,
      state: 'ready',
      repos: [{ repo_name: 'web', ahead: 0, uncommitted: true, preview: { clean: true, conflicts: [] } }],
    });
    const main = place.repository.git('rev-parse', 'main');
    const result = await merge(attempt_id);
    expect(result).toMatchObject({
      attempt_id,
      state: 'merged',
      dry_run: false,
      repos: [{ repo_name: 'web', status: 'landed', strategy: 'squash', target_before: main, error: null }],
    });
    expect(place.repository.git('rev-parse', 'main')).toBe(result.repos[0].commit);
    expect(filesOn(place.repository)).toEqual(['new.txt', 'readme.md']);
    const message = place.repository.git('log', '-1', '--format=%B', 'main');
    expect(message).toContain('Say hello\n\necho new > new.txt\n\nTaskyard-Task:');
    expect(message).toContain(`Taskyard-Attempt: ${attempt_id}`);
    expect(userCheckout(place.repository)).toEqual(before);
    const { task } = await board.kanban.call('get_task', { task_id });
    expect(task).toMatchObject({ status: 'done', delivery_state: 'merged', pr_url: null });
    expect(await delivery(attempt_id)).toMatchObject({ state: 'merged', repos: [{ state: 'merged', ahead: 0 }] });
    const audit = await board.audit(task_id);
    expect(audit.find(({ action }) => action === 'merged')).toMatchObject({
      entity_type: 'delivery',
      actor: '@kanban',
      details: { attempt_id, strategy: 'squash', target_branch: 'main' },
    });
    expect(audit.at(-1)).toMatchObject({
      action: 'status_changed',
      details: { after: { status: 'done' }, note: `merged as ${result.repos[0].commit.slice(0, 10)} in main` },
    });
    expect(await eventsOf(board.server, attempt_id)).toContain('merged into main (squash)');
  });

  it('answers already_delivered the second time, and replays a repeated request', async () => {
    const place = await ground();
    const { attempt_id } = await worked(place);
    const first = await merge(attempt_id, { request_id: 'merge-1' });
    expect(await merge(attempt_id, { request_id: 'merge-1' })).toEqual({ ...first, replayed: true });
    expect((await merge(attempt_id)).repos).toMatchObject([{ status: 'already_delivered', commit: null }]);
    const refused = await board.kanban.refused('merge_attempt', {
      attempt_id,
      request_id: 'merge-1',
      strategy: 'merge',
    });
    expect(refused.code).toBe('idempotency_conflict');
  });

  it('merges the same attempt again after more work, which first takes the task back to review', async () => {
    const place = await ground();
    const { attempt_id, task_id } = await ended(place);
    await merge(attempt_id);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo more > more.txt' });
    await board.untilEnded(attempt_id);
    expect((await board.kanban.call('get_task', { task_id })).task).toMatchObject({
      status: 'inreview',
      delivery_state: 'ready',
    });
    expect((await board.kanban.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/more.txt']);
    expect(await merge(attempt_id)).toMatchObject({ state: 'merged', repos: [{ status: 'landed' }] });
    expect(filesOn(place.repository)).toEqual(['more.txt', 'new.txt', 'readme.md']);
    expect(place.repository.git('rev-list', '--count', 'main')).toBe('3');
    expect((await board.read(task_id)).status).toBe('done');
  });

  it.each(['merge', 'ff', 'rebase'] as const)('lands by strategy %s', async (strategy) => {
    const place = await ground();
    const { attempt_id } = await worked(place);
    if (strategy !== 'ff') moveMain(place.repository, { 'theirs.txt': 'theirs\n' });
    expect((await merge(attempt_id, { strategy })).repos).toMatchObject([{ status: 'landed', strategy }]);
    expect(filesOn(place.repository)).toContain('new.txt');
    expect(await delivery(attempt_id)).toMatchObject({ state: 'merged' });
    const parents = place.repository.git('log', '-1', '--format=%P', 'main').split(' ');
    expect(parents).toHaveLength(strategy === 'merge' ? 2 : 1);
  });

  it('refuses ff behind the target, another head, a live run, and a person where one has to decide', async () => {
    const place = await ground();
    const { attempt_id } = await worked(place);
    moveMain(place.repository, { 'theirs.txt': 'theirs\n' });
    const refused = async (more: object) => (await board.kanban.refused('merge_attempt', { attempt_id, ...more })).code;
    expect(await refused({ strategy: 'ff' })).toBe('strategy_not_possible');
    expect(await refused({ expected_head: place.repository.head })).toBe('head_moved');
    expect(await refused({ repo_ids: [attempt_id] })).toBe('repo_not_found');
    expect(await refused({ action: 'undo', strategy: 'ff' })).toBe('invalid_argument');
    const { wait, open } = gate(board.server);
    const live = await givenAttempt(board.kanban, place.project_id, wait);
    expect((await board.kanban.refused('merge_attempt', { attempt_id: live.attempt_id })).code).toBe('session_busy');
    expect(await merge(live.attempt_id as string, { dry_run: true })).toMatchObject({
      repos: [{ status: 'failed', error: { code: 'session_busy' } }],
    });
    open();
    await untilEnded(board.kanban, live.attempt_id as string);
    const { repos } = await delivery(attempt_id);
    expect((await merge(attempt_id, { expected_head: repos[0].head })).repos[0].status).toBe('landed');
  });

  it('only reports under dry_run, conflicts and all', async () => {
    const place = await ground();
    const { attempt_id } = await worked(place, { 'readme.md': 'ours\n' });
    const main = place.repository.git('rev-parse', 'main');
    expect(await merge(attempt_id, { dry_run: true })).toMatchObject({
      dry_run: true,
      repos: [{ status: 'would_land', commit: null, target_before: main }],
    });
    moveMain(place.repository, { 'readme.md': 'theirs\n' });
    expect(await merge(attempt_id, { dry_run: true })).toMatchObject({
      repos: [
        { status: 'conflict', error: { code: 'merge_conflict', details: { files: [{ path: 'web/readme.md' }] } } },
      ],
    });
    expect((await delivery(attempt_id)).repos[0]).toMatchObject({ uncommitted: true, ahead: 0 });
  });

  it('refuses a target that is checked out with its folder, and brings a clean checkout along on request', async () => {
    const { project_id, repository } = await board.project();
    const { attempt_id, task_id } = await board.endedAttempt(project_id, 'echo new > new.txt');
    const before = userCheckout(repository);
    const refused = await board.kanban.refused('merge_attempt', { attempt_id });
    expect(refused).toMatchObject({
      code: 'target_checked_out',
      details: { worktree: repository.dir, clean: true, target_branch: 'main' },
    });
    expect(userCheckout(repository)).toEqual(before);
    repository.write({ 'readme.md': 'mine\n' });
    const dirty = await board.kanban.refused('merge_attempt', { attempt_id, checked_out: 'update' });
    expect(dirty).toMatchObject({ code: 'target_checkout_dirty', details: { worktree: repository.dir } });
    expect((await board.read(task_id)).status).toBe('inreview');
    repository.git('checkout', '--quiet', '--', 'readme.md');
    expect(await merge(attempt_id, { checked_out: 'update' })).toMatchObject({ state: 'merged' });
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(filesOn(repository, 'HEAD')).toContain('new.txt');
    const undone = await board.rest.does('POST', `/api/attempts/${attempt_id}/merge/undo`, { checked_out: 'update' });
    expect(undone).toMatchObject({ state: 'ready', repos: [{ status: 'undone' }] });
    expect(userCheckout(repository)).toMatchObject({ 'readme.md': before['readme.md'] });
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('undoes a merge while the target has not moved, and the task goes back to review', async () => {
    const place = await ground();
    const { attempt_id, task_id } = await ended(place);
    const main = place.repository.git('rev-parse', 'main');
    expect((await board.kanban.refused('merge_attempt', { attempt_id, action: 'undo' })).code).toBe('nothing_to_undo');
    const { repos } = await merge(attempt_id);
    const undone = await merge(attempt_id, { action: 'undo', request_id: 'undo-1' });
    expect(undone).toMatchObject({
      state: 'ready',
      repos: [{ status: 'undone', strategy: null, commit: main, target_before: repos[0].commit }],
    });
    expect(await merge(attempt_id, { action: 'undo', request_id: 'undo-1' })).toEqual({
      ...undone,
      replayed: true,
    });
    expect(place.repository.git('rev-parse', 'main')).toBe(main);
    expect((await board.read(task_id)).status).toBe('inreview');
    expect((await board.kanban.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/new.txt']);
    await merge(attempt_id);
    moveMain(place.repository, { 'theirs.txt': 'theirs\n' });
    const moved = await board.kanban.refused('merge_attempt', { attempt_id, action: 'undo' });
    expect(moved).toMatchObject({ code: 'target_moved', retryable: true });
  });

  it('takes an attempt without work, and one whose work came in by another way, for what they are', async () => {
    const place = await ground();
    const { attempt_id, task_id } = await ended(place, 'true');
    expect(await delivery(attempt_id)).toMatchObject({ state: 'none' });
    expect(await merge(attempt_id)).toMatchObject({ state: 'none', repos: [{ status: 'nothing_to_deliver' }] });
    expect((await board.read(task_id)).status).toBe('inreview');
    const other = await worked(place);
    moveMain(place.repository, { 'new.txt': 'new\n' });
    expect((await merge(other.attempt_id as string)).repos[0].status).toBe('already_delivered');
    expect((await board.read(other.task_id as string)).status).toBe('done');
  });

  it('refuses a deleted target and lists every delivery of the project', async () => {
    const place = await ground();
    const first = await worked(place);
    await merge(first.attempt_id as string);
    const second = await worked(place, { 'two.txt': 'two\n' });
    place.repository.git('branch', '--quiet', '-D', 'main');
    const { attempt_id } = second;
    expect(await delivery(attempt_id as string)).toMatchObject({ repos: [{ preview: null }] });
    expect((await board.kanban.refused('merge_attempt', { attempt_id })).code).toBe('branch_unknown');
    expect(place.repository.branches()).not.toContain('main');
    const { deliveries } = await board.rest.does('GET', `/api/projects/${place.project_id}/deliveries`);
    expect(deliveries).toMatchObject([{ attempt_id: first.attempt_id, kind: 'merge', state: 'merged' }]);
  });
});
