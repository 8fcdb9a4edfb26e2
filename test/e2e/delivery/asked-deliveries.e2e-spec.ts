import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { CallingRun } from '../../support/calling-run.js';
import { givenUncommittedWork } from '../../support/delivery-ground.js';
import { GitRepository, GitSandbox } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { eventsOf } from '../../support/runs.js';
import { untouchedCheckouts } from '../../support/user-checkout.js';

const answering = (board: Board) => ({
  pending: async (attempt_id: string): Promise<Json[]> =>
    (await board.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`)).approvals as Json[],
  answer: (approval_id: unknown, decision = 'approve') =>
    board.rest.does('POST', `/api/approvals/${String(approval_id)}/answer`, { decision }),
  refusesAnswer: (code: string, approval_id: unknown) =>
    board.rest.refuses(code, 'POST', `/api/approvals/${String(approval_id)}/answer`, { decision: 'approve' }),
  stored: async (approval_id: unknown): Promise<Json> =>
    (
      await board.server.query<Json>('SELECT status, reason, performed_at FROM approvals WHERE id = $1', [approval_id])
    )[0]!,
});

describe('deliveries that an agent may only ask for', () => {
  const board = Board.use({ REQUIRE_HUMAN_APPROVAL: 'on' });
  const { pending, answer, refusesAnswer, stored } = answering(board);
  let agent: McpClient;
  beforeAll(async () => {
    await board.worker('@asker', 'agent', 'asker');
    await board.worker('@grace', 'human', 'grace');
    agent = await board.mcpAs('asker', '/mcp');
  });

  const keep = untouchedCheckouts();
  /** @param isKept the user does nothing in the checkout meanwhile */
  const ground = async (files?: Record<string, string>, isKept = true) => {
    const { project_id, repository } = await board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    if (isKept) keep(repository);
    await board.member(project_id, '@grace', 'owner');
    await board.member(project_id, '@asker', 'maintainer');
    const { attempt_id, task_id } = await givenUncommittedWork(board, project_id, files);
    return { project_id, repository, attempt_id: attempt_id as string, task_id: task_id as string };
  };
  const ask = async (attempt_id: string, more: object = {}) => {
    const refused = await agent.refused('merge_attempt', { attempt_id, ...more });
    expect(refused).toMatchObject({ code: 'approval_required', retryable: false });
    return refused.details.approval_id as string;
  };
  const main = (repository: GitRepository) => repository.git('rev-parse', 'main');

  it('a merge waits with preview and diff summary, and the server performs it when a person says yes', async () => {
    const { attempt_id, task_id, repository } = await ground();
    const before = main(repository);
    const approval_id = await ask(attempt_id, { strategy: 'merge', request_id: 'agent-1' });
    expect(await ask(attempt_id, { strategy: 'merge' })).toBe(approval_id);
    expect(main(repository)).toBe(before);
    const [asked, ...others] = await pending(attempt_id);
    expect(others).toEqual([]);
    expect(asked).toMatchObject({
      approval_id,
      execution_process_id: null,
      timeout_at: null,
      tool_name: 'merge_attempt',
      summary: expect.stringMatching(/^merge ty\/\S+ into main of web \(merge\)$/),
      input: {
        attempt_id,
        strategy: 'merge',
        asked_by: '@asker',
        repos: [{ repo_name: 'web', ahead: 1, behind: 0, preview: { clean: true, conflicts: [] } }],
        changes: { file_count: 1, added: 1, deleted: 0, files: ['web/new.txt'] },
      },
    });
    expect((await agent.refused('merge_attempt', { attempt_id, action: 'undo' })).code).toBe('nothing_to_undo');
    const always = { decision: 'approve', always: true };
    await board.rest.refuses('invalid_argument', 'POST', `/api/approvals/${approval_id}/answer`, always);
    const answered = await answer(approval_id);
    expect(answered).toMatchObject({ status: 'approved', performed_at: expect.any(String) });
    expect(repository.git('log', '-1', '--format=%P', 'main').split(' ')[0]).toBe(before);
    expect(repository.git('show', 'main:new.txt')).toBe('new');
    expect((await board.read(task_id)).status).toBe('done');
    expect(await pending(attempt_id)).toEqual([]);
    await refusesAnswer('approval_settled', approval_id);
    const actions = (await board.audit(task_id)).map(({ action, actor }) => `${action} ${actor}`);
    expect(actions).toEqual(expect.arrayContaining(['merged @owner', 'approval_answered @owner']));
    expect(await eventsOf(board.server, attempt_id)).toContain('the agent requests approval for merge_attempt');
    const undo = await ask(attempt_id, { action: 'undo' });
    expect((await pending(attempt_id))[0]).toMatchObject({ summary: 'undo the merge into main of web' });
    await answer(undo);
    expect(main(repository)).toBe(before);
  });

  it('is void when the head has moved, or work lies there that nobody was shown', async () => {
    const { attempt_id, repository } = await ground();
    const before = main(repository);
    const first = await ask(attempt_id);
    const tree = `${board.server.environment.DATA_DIR}/worktrees/${attempt_id}/web`;
    const worktree = new GitRepository(tree);
    worktree.write({ 'later.txt': 'later\n' });
    await refusesAnswer('uncommitted_changes', first);
    expect(await stored(first)).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('uncommitted') });
    const second = await ask(attempt_id);
    worktree.commit('later');
    worktree.git('commit', '--quiet', '--allow-empty', '-m', 'latest');
    await refusesAnswer('head_moved', second);
    expect(await stored(second)).toMatchObject({ status: 'cancelled', performed_at: null });
    expect(main(repository)).toBe(before);
    const third = await ask(attempt_id);
    const fourth = await ask(attempt_id, { message: 'Other words' });
    expect(await stored(third)).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('anew') });
    expect(await answer(fourth)).toMatchObject({ status: 'approved' });
    expect(repository.git('log', '-1', '--format=%s', 'main')).toBe('Other words');
  });

  it('stays open where the delivery fails for a reason that passes, and is performed by a later yes', async () => {
    const { attempt_id, repository } = await ground(undefined, false);
    const approval_id = await ask(attempt_id);
    repository.git('checkout', '--quiet', 'main');
    await refusesAnswer('target_checked_out', approval_id);
    expect(await stored(approval_id)).toMatchObject({ status: 'pending', performed_at: null });
    repository.git('checkout', '--quiet', 'elsewhere');
    expect(await answer(approval_id)).toMatchObject({ status: 'approved', performed_at: expect.any(String) });
  });

  it('is performed by the same answer again where a crash came between the yes and the merge', async () => {
    const { attempt_id, repository } = await ground();
    const approval_id = await ask(attempt_id);
    await board.server.query("UPDATE approvals SET status = 'approved', answered_at = now() WHERE id = $1", [
      approval_id,
    ]);
    expect(await answer(approval_id)).toMatchObject({ status: 'approved', performed_at: expect.any(String) });
    expect(repository.git('show', 'main:new.txt')).toBe('new');
    await board.server.query('UPDATE approvals SET performed_at = NULL WHERE id = $1', [approval_id]);
    const [count, other] = [repository.git('rev-list', '--count', 'main'), board.as('grace')];
    expect(await other.does('POST', `/api/approvals/${approval_id}/answer`, { decision: 'approve' })).toMatchObject({
      performed_at: expect.any(String),
    });
    expect(repository.git('rev-list', '--count', 'main')).toBe(count);
  });

  it('is nothing that an agent answers, and a no leaves everything where it is', async () => {
    const { attempt_id, repository } = await ground();
    const before = main(repository);
    const approval_id = await ask(attempt_id);
    const place = `/api/approvals/${approval_id}/answer`;
    await board.as('asker').refuses('forbidden', 'POST', place, { decision: 'approve' });
    const denied = await board.rest.does('POST', place, { decision: 'deny', reason: 'not on a Friday' });
    expect(denied).toMatchObject({ status: 'denied', reason: 'not on a Friday', performed_at: null });
    expect(main(repository)).toBe(before);
    await board.as('asker').refuses('forbidden', 'PUT', `/api/attempts/${attempt_id}/branch`, { branch: 'other' });
  });

  it('asks for nothing that would be refused anyway, or is done', async () => {
    const { attempt_id } = await ground({ 'readme.md': 'ours\n' });
    await agent.call('merge_attempt', { attempt_id, dry_run: true });
    await answer(await ask(attempt_id));
    expect((await agent.call('merge_attempt', { attempt_id })).repos).toMatchObject([{ status: 'already_delivered' }]);
    expect(await pending(attempt_id)).toEqual([]);
  });

  it('an overwriting push waits too, a plain one does not', async () => {
    const { attempt_id, repository } = await ground(undefined, false);
    const remote = repository.git('clone', '--quiet', '--bare', repository.dir, `${repository.dir}.git`);
    expect(remote).toBe('');
    repository.git('remote', 'add', 'origin', `${repository.dir}.git`);
    keep(repository);
    const [{ branch }] = (await agent.call('push_attempt', { attempt_id })).repos.map((one: Json) => one.remote);
    const there = new GitRepository(`${repository.dir}.git`);
    const theirs = there.git('commit-tree', 'main^{tree}', '-p', branch as string, '-m', 'theirs');
    there.git('update-ref', `refs/heads/${String(branch)}`, theirs);
    const overwrite = { remote_commit: theirs };
    const { code, details } = await agent.refused('push_attempt', { attempt_id, overwrite });
    expect(code).toBe('approval_required');
    expect(there.git('rev-parse', branch as string)).toBe(theirs);
    expect((await pending(attempt_id))[0]).toMatchObject({ tool_name: 'push_attempt', input: { overwrite } });
    await answer(details.approval_id);
    expect(there.git('rev-parse', branch as string)).not.toBe(theirs);
  });
});

describe('what the token of a run delivers', () => {
  const sandbox = new GitSandbox();
  afterAll(() => sandbox.remove());

  const keep = untouchedCheckouts();
  const running = async (board: Board) => {
    const { project_id, repository } = await board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    keep(repository);
    const run = await CallingRun.start(board.kanban, project_id, sandbox);
    const tree = `${board.server.environment.DATA_DIR}/worktrees/${run.attempt_id}/web`;
    new GitRepository(tree).write({ 'new.txt': 'new\n' });
    return { run, repository };
  };

  describe('by default: nothing, but it may ask', () => {
    const board = Board.use(CallingRun.settings(sandbox));
    const { answer, refusesAnswer, pending } = answering(board);

    it('its merge is performed after its turn, when a person says yes', async () => {
      const { run, repository } = await running(board);
      const { attempt_id } = run;
      expect(await run.call('merge_attempt', { attempt_id, dry_run: true })).toMatchObject({ dry_run: true });
      const asked = await run.call('merge_attempt', { attempt_id });
      expect(asked).toMatchObject({ code: 'approval_required' });
      expect(await run.call('push_attempt', { attempt_id })).toMatchObject({ code: 'approval_required' });
      expect(await run.call('open_pull_request', { attempt_id, action: 'open' })).toMatchObject({ code: 'forbidden' });
      const foreign = { attempt_id: '0198c0de-0000-7000-8000-00000000dead' };
      expect(await run.call('merge_attempt', foreign)).toMatchObject({ code: 'forbidden' });
      await refusesAnswer('session_busy', asked.details.approval_id);
      await run.end();
      expect((await pending(attempt_id)).map(({ tool_name }) => tool_name)).toEqual(['push_attempt', 'merge_attempt']);
      expect(await answer(asked.details.approval_id)).toMatchObject({ status: 'approved' });
      expect(repository.git('show', 'main:new.txt')).toBe('new');
    });
  });

  describe('where AGENT_SCOPES says so', () => {
    const board = Board.use({ ...CallingRun.settings(sandbox), AGENT_SCOPES: 'own,deliver' });

    it('it merges its own attempt by itself', async () => {
      const { run, repository } = await running(board);
      const merged = await run.call('merge_attempt', { attempt_id: run.attempt_id });
      expect(merged).toMatchObject({ repos: [{ status: 'landed' }] });
      expect(repository.git('show', 'main:new.txt')).toBe('new');
      await run.end();
    });
  });
});
