import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { gate, givenAttempt } from '../../support/board.js';
import { givenWorktree, moveMain } from '../../support/delivery-ground.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';

describe('delivering nothing but what was reviewed', () => {
  const board = Board.share();
  let project_id: string;
  let repository: GitRepository;

  beforeEach(async () => {
    ({ project_id, repository } = await board.project());
    const remote = `${repository.dir}.git`;
    execFileSync('git', ['clone', '--quiet', '--bare', repository.dir, remote]);
    repository.git('remote', 'add', 'origin', remote);
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
  });

  const call = (tool: string, attempt_id: string, more: object = {}) =>
    board.kanban.call(tool, { attempt_id, ...more });
  const refused = (tool: string, attempt_id: string, more: object = {}) =>
    board.kanban.refused(tool, { attempt_id, ...more });
  const stateOf = async (attempt_id: string): Promise<unknown[]> => {
    const [status, delivery] = await Promise.all([
      call('get_attempt_status', attempt_id),
      call('get_attempt_delivery', attempt_id),
    ]);
    return [status.delivery_state, delivery.state];
  };

  it('asks by name for the work of a run that failed', async () => {
    const { attempt_id, task_id } = await board.endedAttempt(project_id, 'echo half > half.txt; exit 7');
    expect(await stateOf(attempt_id)).toEqual(['failed', 'failed']);
    const main = repository.git('rev-parse', 'main');
    for (const tool of ['merge_attempt', 'push_attempt'])
      expect(await refused(tool, attempt_id)).toMatchObject({
        code: 'attempt_failed',
        retryable: false,
        hint: expect.stringContaining('allow_failed=true'),
        details: { reason: expect.stringContaining('7'), next: { arguments: { attempt_id } } },
      });
    expect((await call('merge_attempt', attempt_id, { dry_run: true })).repos).toMatchObject([
      { status: 'failed', error: { code: 'attempt_failed' } },
    ]);
    expect(repository.git('rev-parse', 'main')).toBe(main);
    expect((await board.read(task_id)).status).not.toBe('done');
    const forecast = await call('merge_attempt', attempt_id, { dry_run: true, allow_failed: true });
    expect(forecast.repos).toMatchObject([{ status: 'would_land', error: null }]);
    const pushed = await call('push_attempt', attempt_id, { allow_failed: true });
    expect(pushed.repos).toMatchObject([{ status: 'pushed' }]);
    expect(await call('merge_attempt', attempt_id, { allow_failed: true })).toMatchObject({ state: 'merged' });
    expect(await stateOf(attempt_id)).toEqual(['merged', 'merged']);
    const undone = await call('merge_attempt', attempt_id, { action: 'undo' });
    expect(undone).toMatchObject({ repos: [{ status: 'undone' }] });
  });

  it('tells a stop from a failure, and work under way from work to be merged', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await givenAttempt(board.kanban, project_id, `echo half > half.txt; ${wait}`);
    expect(await stateOf(attempt_id as string)).toEqual(['running', 'running']);
    await call('stop_attempt', attempt_id as string);
    const status = await board.untilEnded(attempt_id as string);
    open();
    expect(status).toMatchObject({ state: 'failed', ended_by: 'stop', delivery_state: 'failed' });
    expect((await refused('merge_attempt', attempt_id as string)).code).toBe('attempt_failed');
    await call('follow_up', attempt_id as string, { action: 'send', prompt: 'echo whole > half.txt' });
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({ ended_by: null, delivery_state: 'ready' });
    expect(await call('merge_attempt', attempt_id as string)).toMatchObject({ state: 'merged' });
  });

  it('waits for the end of a run where it is asked to', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await givenAttempt(board.kanban, project_id, `${wait}; echo new > new.txt`);
    const impatient = await refused('merge_attempt', attempt_id as string, { wait_ms: 300 });
    expect(impatient.code).toBe('session_busy');
    const merge = call('merge_attempt', attempt_id as string, { wait_ms: 30_000 });
    open();
    expect(await merge).toMatchObject({ state: 'merged', repos: [{ status: 'landed' }] });
  });

  it('refuses content that was not reviewed, uncommitted work included', async () => {
    const { attempt, tree } = await givenWorktree(board, project_id);
    const { attempt_id } = attempt;
    tree.write({ 'new.txt': 'reviewed\n' });
    const contentOf = async () => ((await call('get_attempt_delivery', attempt_id)).repos as Json[])[0]!.content_hash;
    const reviewed = await contentOf();
    tree.write({ 'new.txt': 'not reviewed\n' });
    const later = await contentOf();
    expect(later).not.toBe(reviewed);
    for (const tool of ['merge_attempt', 'push_attempt'])
      expect(await refused(tool, attempt_id, { expected_content: reviewed })).toMatchObject({
        code: 'content_moved',
        details: { repo_name: 'web', content_hash: later },
      });
    expect(await contentOf()).toBe(later); // though it is committed by now
    const expected = { expected_content: later.slice(0, 12) };
    expect((await call('push_attempt', attempt_id, expected)).repos).toMatchObject([{ status: 'pushed' }]);
    expect(await call('merge_attempt', attempt_id, expected)).toMatchObject({ state: 'merged' });
  });

  it('takes an abbreviated commit of the branch, and no other', async () => {
    const { attempt, tree } = await givenWorktree(board, project_id);
    const { attempt_id } = attempt;
    tree.write({ 'new.txt': 'new\n' });
    const head = tree.commit('new');
    for (const expected_head of [head.slice(0, 6), '0000000', repository.head])
      expect((await refused('push_attempt', attempt_id, { expected_head })).code).toBe('head_moved');
    const merged = await call('merge_attempt', attempt_id, { expected_head: head.slice(0, 7).toUpperCase() });
    expect(merged.state).toBe('merged');
  });

  it('says where the target is checked out, and that a conflict is one from the refusal on', async () => {
    const { attempt, tree } = await givenWorktree(board, project_id);
    const { attempt_id } = attempt;
    tree.write({ 'readme.md': 'ours\n' });
    const checkout = async () => ((await call('get_attempt_delivery', attempt_id)).repos as Json[])[0]!.checkout;
    expect(await checkout()).toEqual({ state: 'none', path: null });
    repository.git('checkout', '--quiet', 'main');
    expect(await checkout()).toEqual({ state: 'clean', path: repository.dir });
    repository.write({ 'readme.md': 'not committed\n' });
    expect(await checkout()).toEqual({ state: 'dirty', path: repository.dir });
    repository.git('checkout', '--quiet', '--force', 'elsewhere');
    moveMain(repository, { 'readme.md': 'theirs\n' });
    expect((await call('get_attempt_delivery', attempt_id)).state).toBe('conflicted');
    expect((await refused('merge_attempt', attempt_id)).code).toBe('merge_conflict');
    expect(await stateOf(attempt_id)).toEqual(['conflicted', 'conflicted']);
  });
});
