import { afterAll, describe, expect, it } from '@jest/globals';
import { CallingRun } from '../../support/calling-run.js';
import { ForgeGround } from '../../support/forge/forge-ground.js';
import { GitRepository, GitSandbox } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';

describe('what a run may only ask for once its work was shown or merged', () => {
  const sandbox = new GitSandbox();
  afterAll(() => sandbox.remove());
  const ground = ForgeGround.use('github', CallingRun.settings(sandbox));

  const answer = (approval_id: unknown) =>
    ground.board.rest.does('POST', `/api/approvals/${String(approval_id)}/answer`, { decision: 'approve' });
  const refusesAnswer = (code: string, approval_id: unknown) =>
    ground.board.rest.refuses(code, 'POST', `/api/approvals/${String(approval_id)}/answer`, { decision: 'approve' });
  const pending = async (attempt_id: string) =>
    (await ground.board.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`)).approvals as Json[];
  const statusOf = async (approval_id: unknown) =>
    (await ground.board.server.query<Json>('SELECT status FROM approvals WHERE id = $1', [approval_id]))[0]!.status;

  /** A run that has ended and left work, in a repository on the forge. */
  const worked = async () => {
    const { project_id, repository } = await ground.board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const remote = ground.published(repository);
    const run = await CallingRun.start(ground.board.kanban, project_id, sandbox);
    const tree = new GitRepository(`${ground.board.server.environment.DATA_DIR}/worktrees/${run.attempt_id}/web`);
    tree.write({ 'new.txt': 'new\n' });
    await run.end();
    return { run, repository, remote, tree, attempt_id: run.attempt_id };
  };
  /** The same with a pull request, and another run that goes on. */
  const shown = async () => {
    const place = await worked();
    const { attempt_id, run } = place;
    const { repos } = await ground.call('open_pull_request', { attempt_id, action: 'open' });
    await run.again();
    return { ...place, head: repos[0].pull_request.head_commit as string, pull: place.remote.find(1)! };
  };
  /** @returns the id of what a person has to answer */
  const asked = async (run: CallingRun, tool: string, input: object): Promise<string> => {
    const refused = await run.call(tool, { attempt_id: run.attempt_id, ...input });
    expect(refused).toMatchObject({ code: 'approval_required', retryable: false });
    return refused.details.approval_id as string;
  };

  it.each([
    ['merge', { state: 'merged' }],
    ['queue', { state: 'open', queued: true }],
    ['close', { state: 'closed' }],
  ] as const)('its %s of a pull request is performed when a person says yes', async (action, after) => {
    const { run, remote, head, pull, attempt_id } = await shown();
    remote.hasQueue = true;
    const expected = action === 'close' ? {} : { expected_head: head };
    const approval_id = await asked(run, 'merge_pull_request', { action, ...expected });
    expect(remote.find(1)).toMatchObject({ state: 'open', queued: false });
    expect(await pending(attempt_id)).toMatchObject([
      {
        approval_id,
        tool_name: 'merge_pull_request',
        summary: `${action} pull request #1 of web`,
        input: { action, repos: [{ repo_name: 'web', pull_request: { number: 1, head_commit: head } }] },
      },
    ]);
    await refusesAnswer('session_busy', approval_id);
    await run.end();
    expect(await answer(approval_id)).toMatchObject({ status: 'approved', performed_at: expect.any(String) });
    expect(pull).toMatchObject(after);
    await refusesAnswer('approval_settled', approval_id);
  });

  it('another request takes the place of the one before, and a moved head makes it void', async () => {
    const { run, remote, head, pull } = await shown();
    const first = await asked(run, 'merge_pull_request', { action: 'close' });
    const second = await asked(run, 'merge_pull_request', { action: 'merge', expected_head: head });
    await run.end();
    expect(await statusOf(first)).toBe('cancelled');
    const newer = remote.git.git('commit-tree', `${head}^{tree}`, '-p', head, '-m', 'nobody was shown this');
    remote.git.git('update-ref', `refs/heads/${pull.head}`, newer);
    await refusesAnswer('head_moved', second);
    expect(await statusOf(second)).toBe('cancelled');
    expect(remote.find(1)!.state).toBe('open');
  });

  it('its undo of a merge waits too, and is void when the branch has moved', async () => {
    const { run, repository, tree, attempt_id } = await worked();
    const main = () => repository.git('rev-parse', 'main');
    const before = main();
    await ground.call('merge_attempt', { attempt_id });
    const merged = main();
    await run.again();
    const first = await asked(run, 'merge_attempt', { action: 'undo' });
    await run.end();
    tree.git('commit', '--quiet', '--allow-empty', '--message', 'later');
    await refusesAnswer('head_moved', first);
    expect([await statusOf(first), main()]).toEqual(['cancelled', merged]);
    await run.again();
    const second = await asked(run, 'merge_attempt', { action: 'undo' });
    expect(await pending(attempt_id)).toMatchObject([{ summary: 'undo the merge into main of web' }]);
    await run.end();
    expect(await answer(second)).toMatchObject({ status: 'approved', performed_at: expect.any(String) });
    expect(main()).toBe(before);
  });
});
