import { describe, expect, it } from '@jest/globals';
import { ForgeGround } from '../../support/forge/forge-ground.js';
import type { Json } from '../../support/mcp-client.js';

const ground = ForgeGround.use('github');

describe('pull requests of an attempt with several repositories', () => {
  const { call, refused } = {
    call: (tool: string, input: object) => ground.call(tool, input),
    refused: (tool: string, input: object) => ground.refused(tool, input),
  };

  /** An attempt with work in `api` and `web`, both of which are on the forge. */
  const two = async () => {
    const repositories = [ground.board.repository(), ground.board.repository()] as const;
    const remotes = repositories.map((repository) => ground.published(repository));
    const repos = repositories.map(({ dir }, at) => ({ path: dir, name: ['api', 'web'][at] }));
    const { project_id } = await ground.board.rest.does('POST', '/api/projects', { name: 'Two', repos });
    const script = 'echo new > api/new.txt; echo new > web/new.txt';
    const { attempt_id, task_id } = await ground.board.endedAttempt(project_id as string, script);
    return { attempt_id: attempt_id as string, task_id: task_id as string, api: remotes[0]!, web: remotes[1]! };
  };

  it('opens one for each, says which failed, and goes on with the rest', async () => {
    const { attempt_id, api, web } = await two();
    ground.forge.faults.push({ on: new RegExp(`POST .*/${web.full_name}/pulls$`), kind: { status: 502 } });
    const open = { attempt_id, action: 'open' };
    expect((await call('open_pull_request', open)).repos).toMatchObject([
      { repo_name: 'api', status: 'opened', pull_request: { repository: api.full_name }, error: null },
      { repo_name: 'web', status: 'failed', pull_request: null, error: { code: 'forge_failed' } },
    ]);
    expect(await call('open_pull_request', open)).toMatchObject({
      state: 'pr_open',
      repos: [{ status: 'already_open' }, { status: 'opened', pull_request: { repository: web.full_name } }],
    });
    expect([api.pulls.length, web.pulls.length]).toEqual([1, 1]);
    const { repos } = await call('get_pull_request', { attempt_id });
    expect(repos).toMatchObject([{ repo_name: 'api' }, { repo_name: 'web' }]);
    const [, { repo_id }] = repos as [Json, Json];
    expect((await call('get_pull_request', { attempt_id, repo_id })).repos).toMatchObject([{ repo_name: 'web' }]);
  });

  it('merges the one that is named, and the task waits for the other', async () => {
    const { attempt_id, task_id, api } = await two();
    const { repos } = await call('open_pull_request', { attempt_id, action: 'open' });
    const merge = ({ repo_id, pull_request }: Json) => ({
      ...{ attempt_id, repo_id, action: 'merge', expected_head: pull_request.head_commit as string },
    });
    const [first, second] = repos as [Json, Json];
    const { code, message } = await refused('merge_pull_request', { ...merge(first), repo_id: undefined });
    expect([code, message]).toEqual(['invalid_argument', expect.stringContaining('repo_id is required')]);
    expect(await call('merge_pull_request', merge(first))).toMatchObject({
      state: 'partly_delivered',
      repos: [{ repo_name: 'api', status: 'merged' }],
    });
    expect(api.git.git('show', 'main:new.txt')).toBe('new');
    expect(await ground.taskOf(task_id)).toMatchObject({ status: 'inreview', delivery_state: 'partly_delivered' });
    expect(await call('merge_pull_request', merge(second))).toMatchObject({ repos: [{ status: 'merged' }] });
    await ground.untilDone(task_id);
  });
});

describe('the words of the ancestor for deliveries', () => {
  it('mean the same as ours', async () => {
    const place = await ground.attempt(null);
    const { attempt_id, remote } = place;
    const { rest } = ground.board;
    const at = (name: string) => `/api/attempts/${attempt_id}/${name}`;
    expect(await rest.does('GET', at('branch-status'))).toEqual(await rest.does('GET', at('delivery')));
    expect(await rest.does('POST', at('pr'), { title: 'Say it' })).toMatchObject({ repos: [{ status: 'opened' }] });
    const { url } = (await rest.does('POST', at('pull-request'), {})).repos[0].pull_request as Json;
    expect(await rest.does('POST', at('pr/attach'), { url })).toMatchObject({
      repos: [{ status: 'attached', pull_request: { url, title: 'Say it' } }],
    });
    const pull = ground.pullOf(place);
    remote.comment(pull, { author: 'bob', body: 'Well done' });
    const { comments } = await rest.does('GET', at('pr/comments'));
    expect(comments).toMatchObject([{ author: 'bob', body: 'Well done' }]);
    expect((await rest.does('GET', at('pull-request/comments'))).comments).toEqual(comments);
    const remote_commit = remote.git.git('commit-tree', 'main^{tree}', '-p', pull.head, '-m', 'theirs');
    remote.git.git('update-ref', `refs/heads/${pull.head}`, remote_commit);
    await rest.refuses('push_rejected', 'POST', at('push'), {});
    const overwrite = { remote_commit };
    expect(await rest.does('POST', at('push/force'), { overwrite })).toMatchObject({ repos: [{ status: 'pushed' }] });
    await rest.refuses('no_operation', 'POST', at('conflicts/abort'), {});
    expect(await rest.does('POST', at('rebase'), {})).toMatchObject({
      action: 'start',
      repos: [{ status: 'up_to_date' }],
    });
  });
});
