import { describe, expect, it } from '@jest/globals';
import { ForgeGround, testForges } from '../../support/forge/forge-ground.js';
import type { Json } from '../../support/mcp-client.js';
import { eventsOf } from '../../support/runs.js';

describe.each(testForges)('pull requests on %s', (kind) => {
  const ground = ForgeGround.use(kind, { FORGE_POLL_SECS: '60' }); // nothing is seen by itself
  const call = (tool: string, input: object) => ground.call(tool, input);
  const refused = (tool: string, input: object) => ground.refused(tool, input);
  it('commits, pushes and opens one, which a second call answers', async () => {
    const place = await ground.attempt();
    const { attempt_id, task_id } = place;
    const first = await call('open_pull_request', { attempt_id, action: 'open', title: 'Say it', draft: true });
    expect(first).toMatchObject({
      attempt_id,
      state: 'pr_open',
      repos: [
        { repo_name: 'web', status: 'opened', pull_request: { number: 1, state: 'open', draft: true }, error: null },
      ],
    });
    const { url, head_commit } = first.repos[0].pull_request;
    expect(head_commit).toBe(place.remote.tip(ground.pullOf(place).head));
    expect(ground.pullOf(place).body).toContain(`Taskyard-Attempt: ${attempt_id}`);
    const second = await call('open_pull_request', { attempt_id, action: 'open' });
    expect(second).toMatchObject({ repos: [{ status: 'already_open', pull_request: { url } }] });
    expect(place.remote.pulls).toHaveLength(1);
    expect(await ground.taskOf(task_id)).toMatchObject({ status: 'inreview', delivery_state: 'pr_open', pr_url: url });
    expect(await call('get_attempt_status', { attempt_id })).toMatchObject({ delivery_state: 'pr_open', pr_url: url });
    expect(await call('get_attempt_delivery', { attempt_id })).toMatchObject({
      state: 'pr_open',
      repos: [{ remote: { commit: head_commit }, pull_request: { url, number: 1 } }],
    });
    expect(await eventsOf(ground.board.server, attempt_id)).toContain(`pull request #1 was opened: ${url}`);
    const audit = await ground.board.audit(task_id);
    expect(audit.find(({ action }) => action === 'pull_request_opened')).toMatchObject({ actor: '@kanban' });
    expect((await refused('merge_attempt', { attempt_id })).code).toBe('pull_request_open');
    const changed = await call('open_pull_request', { attempt_id, action: 'update', title: 'Say more', draft: false });
    expect(changed).toMatchObject({
      repos: [{ status: 'updated', pull_request: { title: 'Say more', draft: false } }],
    });
    const rest = await ground.board.rest.does('GET', `/api/attempts/${attempt_id}/pull-request`);
    expect(rest).toMatchObject({ repos: [{ pull_request: { title: 'Say more' } }] });
  });

  it('finds what was made when the answer was lost, and makes nothing twice', async () => {
    const { attempt_id, remote } = await ground.attempt(null);
    const create = /POST .*\/(pulls|merge_requests)$/;
    ground.forge.faults.push({ on: create, kind: 'cut' });
    const made = await call('open_pull_request', { attempt_id, action: 'open', request_id: 'once' });
    expect(made).toMatchObject({ repos: [{ status: 'opened', pull_request: { number: 1 } }] });
    expect(await call('open_pull_request', { attempt_id, action: 'open', request_id: 'once' })).toEqual({
      ...made,
      replayed: true,
    });
    expect(remote.pulls).toHaveLength(1);
    const other = await ground.attempt(null);
    ground.forge.faults.push({ on: create, kind: { status: 502 } });
    expect(await refused('open_pull_request', { attempt_id: other.attempt_id, action: 'open' })).toMatchObject({
      code: 'forge_failed',
      retryable: true,
    });
    const again = await call('open_pull_request', { attempt_id: other.attempt_id, action: 'open' });
    expect(again).toMatchObject({ repos: [{ status: 'opened' }] });
    expect(other.remote.pulls).toHaveLength(1);
  });

  it('takes the newest where the forge has several of its branch', async () => {
    const { attempt_id, remote } = await ground.attempt(null);
    await call('push_attempt', { attempt_id });
    const head = remote.git.branches().find((name) => name.startsWith('ty/'))!;
    for (const title of ['One', 'Other']) remote.open({ title, body: '', draft: false, head, base: 'main' });
    expect(await call('open_pull_request', { attempt_id, action: 'open' })).toMatchObject({
      repos: [{ status: 'already_open', pull_request: { number: 2, title: 'Other' } }],
    });
    expect(remote.pulls).toHaveLength(2);
  });

  it('takes one that was opened elsewhere by its head commit alone', async () => {
    const place = await ground.attempt(null);
    const { attempt_id, remote } = place;
    await call('push_attempt', { attempt_id });
    const branch = remote.git.branches().find((name) => name.startsWith('ty/'))!;
    remote.git.git('branch', 'foreign', 'main');
    const text = { title: 'Theirs', body: '', draft: false, base: 'main' };
    const wrong = remote.open({ ...text, head: 'foreign' });
    const right = remote.open({ ...text, head: branch });
    const page = { github: 'pull', gitlab: '-/merge_requests', gitea: 'pulls' }[kind];
    const attach = (number: number) => ({
      attempt_id,
      action: 'attach',
      url: `${ground.forge.url}/${remote.full_name}/${page}/${number}`,
    });
    expect((await refused('open_pull_request', attach(wrong.number))).code).toBe('pull_request_foreign');
    expect(await call('open_pull_request', attach(right.number))).toMatchObject({
      state: 'pr_open',
      repos: [{ status: 'attached', pull_request: { number: right.number, title: 'Theirs' } }],
    });
  });

  it('goes to another target with the attempt, keeps the name of its branch, is asked for anew', async () => {
    const place = await ground.opened(null);
    const { attempt_id, repository, remote } = place;
    const { rest } = ground.board;
    const lead = (target_branch: string) =>
      ['PUT', `/api/attempts/${attempt_id}/target-branch`, { target_branch }] as const;
    const rename = ['PUT', `/api/attempts/${attempt_id}/branch`, { branch: 'feature/hello' }] as const;
    const { details } = await rest.refuses('pull_request_open', ...rename);
    expect(details).toMatchObject({ repo_name: 'web', url: place.url });
    repository.git('branch', 'release');
    await rest.refuses('target_not_on_remote', ...lead('release'));
    remote.git.git('branch', 'release', 'main');
    for (const [name, role] of [['grace', 'owner'] as const, ['linus', 'member'] as const]) {
      await ground.board.worker(`@${name}`, 'human', name);
      await ground.board.member(place.project_id, `@${name}`, role);
    }
    await ground.board.as('linus').refuses('insufficient_scope', ...lead('release'));
    ground.forge.faults.push({ on: /(PATCH|PUT) .*\/1$/, kind: { status: 502 } });
    await rest.refuses('forge_failed', ...lead('release'));
    expect((await call('get_attempt_delivery', { attempt_id })).repos[0].target_branch).toBe('main');
    expect(await rest.does(...lead('release'))).toMatchObject({
      repos: [{ target_branch: 'release', pull_request: { base_branch: 'release', state: 'open' } }],
    });
    expect(ground.pullOf(place).base).toBe('release');
    await ground.board.server.query("UPDATE pull_requests SET next_sync_at = now() + interval '1 day' WHERE url = $1", [
      place.url,
    ]);
    const { title } = ground.pullOf(place);
    ground.pullOf(place).title = 'Said otherwise';
    const look = async (refresh: boolean) =>
      (await call('get_attempt_delivery', { attempt_id, refresh })).repos[0].pull_request as Json;
    expect((await look(false)).title).toBe(title);
    // the server looks by itself, too
    ground.forge.faults.push({ on: /GET .*\/(pulls|merge_requests)\/1$/, kind: { status: 502 }, times: 9 });
    expect(await look(true)).toMatchObject({ title, sync_error: expect.stringContaining('502') });
    ground.forge.faults.length = 0;
    expect(await look(true)).toMatchObject({ title: 'Said otherwise', sync_error: null });
  });

  it('merges what was looked at, and nothing that is red, running or unknown', async () => {
    const place = await ground.opened();
    const { attempt_id, task_id, head, remote } = place;
    const merge = { attempt_id, action: 'merge', expected_head: head };
    const reason = async () => (await refused('merge_pull_request', merge)).message;
    for (const [state, words] of [
      ['failure', 'failing'],
      ['pending', 'still running'],
    ] as const) {
      remote.check(head, { name: 'build', source: 'status', state });
      expect(await reason()).toContain(words);
    }
    remote.check(head, { name: 'build', source: 'status', state: 'success' });
    if (kind !== 'gitea') {
      ground.forge.faults.push({ on: /GET .*(check-runs|pipelines)/, kind: { status: 403 }, times: 9 });
      expect(await reason()).toContain('not known');
      ground.forge.faults.length = 0;
    }
    expect((await refused('merge_pull_request', { ...merge, expected_head: 'f'.repeat(40) })).code).toBe('head_moved');
    expect((await refused('merge_pull_request', { attempt_id, action: 'merge' })).code).toBe('invalid_argument');
    ground.pullOf(place).draft = true;
    ground.pullOf(place).title = { github: '', gitlab: 'Draft: ', gitea: 'WIP: ' }[kind] + ground.pullOf(place).title;
    expect(await reason()).toContain('draft');
    ground.pullOf(place).draft = false;
    ground.pullOf(place).title = 'Say hello';
    const main = remote.tip('main');
    const merged = await call('merge_pull_request', { ...merge, expected_head: head.slice(0, 7) });
    expect(merged).toMatchObject({
      state: 'pr_merged',
      repos: [{ status: 'merged', pull_request: { state: 'merged', merge_commit: remote.tip('main') } }],
    });
    expect(remote.git.git('rev-parse', 'main^')).toBe(main);
    expect(await ground.taskOf(task_id)).toMatchObject({ status: 'done', delivery_state: 'pr_merged' });
    expect(await call('merge_attempt', { attempt_id })).toMatchObject({
      state: 'pr_merged',
      repos: [{ status: 'already_delivered', error: null }],
    });
    const audit = await ground.board.audit(task_id);
    expect(audit.at(-1)).toMatchObject({ actor: '@kanban', details: { note: 'pull request #1 was merged by ada' } });
    expect(await call('merge_pull_request', merge)).toMatchObject({ repos: [{ status: 'already_merged' }] });
    await call('follow_up', { attempt_id, action: 'send', prompt: 'echo more > more.txt' });
    await ground.board.untilEnded(attempt_id);
    expect(await ground.taskOf(task_id)).toMatchObject({ status: 'inreview', delivery_state: 'ready' });
  });

  it('finds a merge whose answer was lost, and the head that moved at the last moment', async () => {
    const place = await ground.opened(null);
    const { attempt_id, head, remote } = place;
    const at = /(PUT|POST) .*\/merge$/;
    const moved = () => {
      const tree = remote.git.git('rev-parse', `${head}^{tree}`);
      const newer = remote.git.git('commit-tree', tree, '-p', head, '-m', 'newer');
      remote.git.git('update-ref', `refs/heads/${ground.pullOf(place).head}`, newer);
    };
    ground.forge.faults.push({ on: at, kind: moved });
    expect((await refused('merge_pull_request', { attempt_id, action: 'merge', expected_head: head })).code).toBe(
      'head_moved',
    );
    remote.git.git('update-ref', `refs/heads/${ground.pullOf(place).head}`, head);
    ground.forge.faults.push({ on: at, kind: 'cut' });
    expect(await call('merge_pull_request', { attempt_id, action: 'merge', expected_head: head })).toMatchObject({
      repos: [{ status: 'merged' }],
    });
    expect(remote.git.git('rev-list', '--count', 'main')).toBe('2');
  });
});
