import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestForge, type TestForgeKind } from '../../test/support/forge/test-forge.js';
import type { ForgeRepository } from '../../test/support/forge/forge-repository.js';
import { GitSandbox } from '../../test/support/git-repository.js';
import { loadEnvironment } from '../config/environment.js';
import type { Forge, NewPullRequest } from './forge.js';
import { ForgesService } from './forges.service.js';

const code = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no refusal',
    (error: { code?: string }) => error.code,
  );

describe.each<TestForgeKind>(['github', 'gitlab', 'gitea'])('a forge of kind %s', (kind) => {
  let sandbox: GitSandbox;
  let server: TestForge;
  let forges: ForgesService;
  let forge: Forge;
  let repository: ForgeRepository;
  let name: string;
  let count = 0;

  const service = (more: Record<string, string> = {}) =>
    new ForgesService(loadEnvironment({ FORGES_FILE: server.settingsFile(sandbox.dir), ...more }));
  const request = (more: Partial<NewPullRequest> = {}): NewPullRequest => ({
    title: 'Add a health check',
    body: 'It answers 200.',
    draft: false,
    head_branch: 'ty/1',
    base_branch: 'main',
    ...more,
  });
  const commitOn = (branch: string, file: string, content = 'x\n', from = 'main'): string => {
    const { git } = repository;
    const blob = git.gitWith(content, 'hash-object', '-w', '--stdin');
    const parent = repository.tip(branch) ?? repository.tip(from);
    const listed = parent === null ? '' : git.git('ls-tree', parent);
    const kept = listed.split('\n').filter((line) => line !== '' && !line.endsWith(`\t${file}`));
    const tree = git.gitWith([...kept, `100644 blob ${blob}\t${file}`, ''].join('\n'), 'mktree');
    const commit = git.git('commit-tree', tree, ...(parent === null ? [] : ['-p', parent]), '-m', file);
    git.git('update-ref', `refs/heads/${branch}`, commit);
    return commit;
  };
  const opened = async (more: Partial<NewPullRequest> = {}) => {
    const creation = await forge.create(name, request(more));
    if (creation.outcome !== 'created') throw new Error(`not created: ${creation.outcome}`);
    return creation.pull_request;
  };
  const pull = (number: number) => repository.find(number)!;

  beforeAll(async () => {
    sandbox = new GitSandbox();
    server = await TestForge.start(kind, sandbox.path('forge'));
  });
  afterAll(async () => {
    await server.stop();
    sandbox.remove();
  });
  beforeEach(() => {
    name = `team/web-${(count += 1)}`;
    repository = server.create(name);
    commitOn('main', 'readme.md');
    commitOn('ty/1', 'new.txt');
    server.requests.length = 0;
    server.faults.length = 0;
    forges = service();
    forge = forges.get(server.host);
  });

  it('opens a pull request and finds it again by head and base', async () => {
    const made = await opened({ draft: true });
    expect(made).toMatchObject({
      number: 1,
      title: 'Add a health check',
      state: 'open',
      draft: true,
      head_branch: 'ty/1',
      head_commit: repository.tip('ty/1'),
      base_branch: 'main',
      merge_commit: null,
    });
    expect(await forge.find(name, { head_branch: 'ty/1', base_branch: 'main' })).toMatchObject([{ number: 1 }]);
    expect(await forge.find(name, { head_branch: 'ty/2', base_branch: 'main' })).toEqual([]);
    expect(await forge.create(name, request())).toEqual({ outcome: 'exists' });
    repository.git.git('branch', 'ty/idle', 'main');
    if (kind !== 'gitlab')
      expect(await forge.create(name, request({ head_branch: 'ty/idle' }))).toEqual({ outcome: 'nothing_to_deliver' });
    expect(await forge.create(name, request({ base_branch: 'gone', head_branch: 'ty/idle' }))).toEqual({
      outcome: 'no_base',
    });
  });

  it('changes the text, the base and whether it is a draft', async () => {
    const { number } = await opened({ draft: true });
    repository.git.git('branch', 'next', 'main');
    const changed = await forge.update(name, number, {
      title: 'Other',
      body: 'Text',
      base_branch: 'next',
      draft: false,
    });
    expect(changed).toMatchObject({ title: 'Other', base_branch: 'next', draft: false });
    expect(await forge.read(name, number, false)).toMatchObject({ title: 'Other', base_branch: 'next', draft: false });
    expect(pull(number)).toMatchObject({ body: 'Text', draft: false });
    await forge.update(name, number, { body: 'More' });
    expect(pull(number).title).toBe('Other');
  });

  it('reads checks of both sources, page by page', async () => {
    const one = await opened();
    const { head_commit: head } = one;
    expect(await forge.checks(name, one)).toEqual({ state: 'none', complete: true, checks: [] });
    const passing = ['a', 'b', 'c'].map((check) => ({
      name: check,
      source: 'status' as const,
      state: 'success' as const,
    }));
    repository.check(head, ...passing, { name: 'build', source: 'run', state: 'pending' });
    expect(await forge.checks(name, one)).toMatchObject({ state: 'pending', complete: true });
    repository.check(head, ...passing, { name: 'build', source: 'run', state: 'failure' });
    expect(await forge.checks(name, one)).toMatchObject({ state: 'failing' });
    repository.check(head, ...passing, { name: 'build', source: 'run', state: 'success' });
    const report = await forge.checks(name, one);
    expect(report).toMatchObject({ state: 'passing', complete: true });
    expect(report.checks).toHaveLength(4);
    if (kind === 'gitea') return; // one source has it all
    server.faults.push({ on: /GET .*(check-runs|pipelines)/, kind: { status: 403 } });
    expect(await forge.checks(name, one)).toMatchObject({ state: 'unknown', complete: false });
  });

  it('says how checks stand as a status of a commit, the last word of which counts', async () => {
    const one = await opened();
    const said = { context: 'taskyard/checks', description: 'Not ended yet.' };
    const told = async () => (await forge.checks(name, one)).checks.map(({ name: check, state }) => [check, state]);
    await forge.setStatus(name, one.head_commit, { ...said, state: 'pending' });
    expect(await told()).toEqual([['taskyard/checks', 'pending']]);
    await forge.setStatus(name, one.head_commit, { ...said, state: 'errored' });
    expect(await told()).toEqual([['taskyard/checks', 'failing']]);
    await forge.setStatus(name, one.head_commit, { ...said, state: 'passed' });
    expect(await told()).toEqual([['taskyard/checks', 'passing']]);
    if (kind !== 'gitlab') await forge.setStatus(name, '0'.repeat(40), { ...said, state: 'passed' });
    expect((await forge.read(name, one.number, false)).body).toBe('It answers 200.');
  });

  it('reads reviews, and comments with their place, whether resolved and whose they are', async () => {
    const one = await opened();
    repository.members.add('bob');
    repository.review(pull(1), 'bob', 'CHANGES_REQUESTED');
    expect((await forge.reviews(name, one)).state).toBe('changes_requested');
    pull(1).reviews.length = 0;
    repository.review(pull(1), 'bob', 'APPROVED');
    expect(await forge.reviews(name, one)).toMatchObject({ state: 'approved', reviews: [{ author: 'bob' }] });
    repository.comment(pull(1), { author: 'bob', body: 'Plain words' });
    for (const line of [1, 2, 3])
      repository.comment(pull(1), { author: 'bob', body: `On ${line}`, path: 'new.txt', line, thread: `T${line}` });
    for (const body of ['A', 'B', 'C', 'D'])
      repository.comment(pull(1), { author: 'eve', body, path: 'new.txt', line: 3, thread: 'T3' });
    pull(1).comments[1]!.resolved = true;
    const comments = await forge.comments(name, one);
    expect(comments).toHaveLength(8);
    const said = (body: string) => comments.find((comment) => comment.body === body);
    expect(said('Plain words')).toMatchObject({ author: 'bob', trusted: true, path: null, resolved: false });
    expect(said('On 1')).toMatchObject({ path: 'new.txt', line: 1, resolved: true, trusted: true });
    expect(said('D')).toMatchObject({ author: 'eve', trusted: false, resolved: false });
    expect(new Set(comments.map(({ forge_id }) => forge_id)).size).toBe(8);
    if (!forge.capabilities.resolves_comments) return;
    const { thread_id, forge_id } = said('On 2')!;
    await forge.resolve(name, 1, { thread_id: thread_id!, forge_id, reply: 'Done.' });
    const after = await forge.comments(name, one);
    expect(after.find(({ body }) => body === 'On 2')).toMatchObject({ resolved: true });
    expect(after.find(({ body }) => body === 'Done.')).toMatchObject({ author: 'ada' });
  });

  it('merges only the head that was looked at, and not twice', async () => {
    const { number, head_commit: expected_head } = await opened();
    const merge = (more: object = {}) =>
      forge.merge(name, number, { method: 'squash', expected_head, queue: false, ...more });
    const newer = commitOn('ty/1', 'more.txt');
    expect(await merge()).toEqual({ outcome: 'head_moved' });
    const before = repository.tip('main');
    expect(await merge({ expected_head: newer })).toEqual({ outcome: 'merged' });
    expect(repository.git.git('rev-parse', 'main^')).toBe(before);
    expect(repository.git.git('ls-tree', '--name-only', 'main').split('\n')).toContain('more.txt');
    const merge_commit = repository.tip('main');
    expect(await forge.read(name, number, false)).toMatchObject({ state: 'merged', merge_commit, merged_by: 'ada' });
    expect(await merge({ expected_head: newer })).toMatchObject({ outcome: 'refused' });
  });

  it('says what conflicts and what is a draft, and closes it', async () => {
    commitOn('ty/1', 'readme.md', 'ours\n');
    commitOn('main', 'readme.md', 'theirs\n');
    const { number, head_commit: expected_head } = await opened();
    expect(await forge.read(name, number, false)).toMatchObject({ mergeability: 'conflicting' });
    const merge = { method: 'merge', expected_head, queue: false } as const;
    expect(await forge.merge(name, number, merge)).toMatchObject({ outcome: 'refused' });
    await forge.close(name, number);
    expect(await forge.read(name, number, false)).toMatchObject({ state: 'closed', merge_commit: null });
    expect(await forge.find(name, { head_branch: 'ty/1', base_branch: 'main' })).toEqual([]);
  });

  it('queues where the repository has a queue', async () => {
    const { number, head_commit: expected_head } = await opened();
    const queue = () => forge.merge(name, number, { method: 'squash', expected_head, queue: true });
    expect(await queue()).toEqual({ outcome: 'no_queue' });
    if (!forge.capabilities.has_queue) return;
    repository.hasQueue = true;
    expect(await queue()).toEqual({ outcome: 'queued' });
    expect(await forge.read(name, number, true)).toMatchObject({ state: 'queued' });
    pull(number).queued = false;
    expect(await forge.read(name, number, true)).toMatchObject({ state: 'open' });
  });

  it('is asked again by ETag, and answers the same', async () => {
    const { number } = await opened();
    const first = await forge.read(name, number, false);
    expect(await forge.read(name, number, false)).toEqual(first);
    expect(server.requests.at(-1)!.status).toBe(304);
  });

  it('has each failure told apart, and never the token', async () => {
    const { number } = await opened();
    const read = () => forge.read(name, number, false);
    const at = /GET .*\/(pulls|merge_requests)\/1$/;
    server.faults.push({ on: at, kind: { status: 502 } });
    expect(await code(read())).toBe('forge_failed');
    server.faults.push({ on: at, kind: 'garbage' });
    expect(await code(read())).toBe('forge_failed');
    server.faults.push({ on: at, kind: 'flood' });
    expect(await code(read())).toBe('forge_failed');
    server.faults.push({ on: at, kind: 'cut' });
    expect(await code(read())).toBe('forge_failed');
    server.faults.push({ on: at, kind: { status: 200, body: { number: 'one' } } });
    expect(await code(read())).toBe('forge_failed');
    server.faults.push({ on: at, kind: { status: 302, headers: { location: 'http://127.0.0.2:1/' } } });
    expect(await code(read())).toBe('forge_failed');
    server.faults.push({ on: at, kind: { status: 403, body: { message: `no right for ${server.token}` } } });
    const refused = (await read().catch((error: Error) => error)) as Error;
    expect(refused).toMatchObject({ code: 'forge_auth_failed' });
    expect(`${JSON.stringify(refused)} ${refused.message} ${refused.stack}`).not.toContain(server.token);
    expect(await code(forge.read(name, 99, false))).toBe('pull_request_not_found');
  });

  it('ends a call that hangs, and is left alone when it says so', async () => {
    const { number } = await opened();
    const at = /GET .*\/(pulls|merge_requests)\/1$/;
    forge = service({ GIT_REMOTE_TIMEOUT_SECS: '1' }).get(server.host);
    server.faults.push({ on: at, kind: 'hang' });
    expect(await code(forge.read(name, number, false))).toBe('forge_failed');
    forges = service();
    forge = forges.get(server.host);
    const message = 'You have exceeded a secondary rate limit';
    server.faults.push({ on: at, kind: { status: 403, headers: { 'retry-after': '30' }, body: { message } } });
    expect(await code(forge.read(name, number, false))).toBe('forge_rate_limited');
    const asked = server.requests.length;
    expect(await code(forge.read(name, number, false))).toBe('forge_rate_limited');
    expect(server.requests).toHaveLength(asked);
    expect(forges.restMs(server.host)).toBeGreaterThan(20_000);
    expect(forges.list()).toMatchObject([{ host: server.host, kind, takes_webhooks: true }]);
  });
});
