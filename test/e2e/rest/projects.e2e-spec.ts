import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { Board, nowhere } from '../../support/board-fixture.js';

const board = Board.share();
const create = (body: Json) => board.rest.answers(201, 'POST', '/api/projects', body);

describe('projects over REST', () => {
  it('are created, shown, changed and deleted, each answered bare', async () => {
    const project = await create({ name: ' Web shop ', slug: 'shop-of-rest', description: 'The shop.' });
    expect(project).toEqual({
      project_id: expect.any(String),
      name: 'Web shop',
      slug: 'shop-of-rest',
      description: 'The shop.',
      auto_commit: 'off',
      required_secrets: [],
      ...{ network: 'open', allowed_hosts: [], presets: ['model'], runs_on: [] },
      ...{ checks: 'off', check_on: 'turn_end', fix_rounds: 2, review: null },
      retries: { transient: true, infra: true, quota: false },
      role: 'owner',
      created_at: expect.any(String),
      updated_at: project.created_at,
    });
    const place = `/api/projects/${project.project_id}`;
    expect(await board.rest.answers(200, 'GET', place)).toEqual(project);
    expect(await board.rest.answers(200, 'PUT', place, { name: 'Shop', description: '' })).toMatchObject({
      name: 'Shop',
      slug: 'shop-of-rest',
      description: null,
    });
    expect(await board.rest.answers(200, 'DELETE', place)).toEqual({ deleted_project_id: project.project_id });
    expect(await board.rest.refuses('project_not_found', 'GET', place)).toMatchObject({
      status: 404,
      hint: 'Call GET /api/projects and use one of its project_id values.',
      details: { project_id: project.project_id },
    });
    expect((await create({ name: 'Again', slug: 'shop-of-rest' })).slug).toBe('shop-of-rest');
  });

  it('are listed newest first, page by page, none lost and none twice', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await create({ name })).project_id as string);
    const seen: string[] = [];
    let cursor: number | null = null;
    do {
      const page: Json = await board.rest.answers(
        200,
        'GET',
        `/api/projects?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.count).toBe(page.projects.length);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...page.projects.map((project: Json) => project.project_id as string));
      cursor = page.next_cursor as number | null;
    } while (cursor !== null);
    expect(seen.slice(0, 5)).toEqual(made);
    expect(new Set(seen).size).toBe(seen.length);
    expect((await board.rest.answers(200, 'GET', '/api/projects?limit=1000000')).count).toBe(seen.length);
  });

  it('get a slug of their own when many of one name are created at once', async () => {
    const repos = [{ path: board.repository().dir }]; // looking at it takes long enough for all to meet
    const projects = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Same name', repos })));
    expect(new Set(projects.map(({ slug }) => slug)).size).toBe(8);
    expect(projects.map(({ slug }) => slug)).toContain('same-name');
  });

  it.each([
    ['a blank name', { name: ' ' }, 'name must not be blank'],
    ['no name', {}, 'name'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'longer than 200'],
    ['a number for a name', { name: 7 }, 'name'],
    ['a slug with capitals', { name: 'x', slug: 'Shop' }, 'slug must be'],
    ['an unknown field', { name: 'x', owner: 'me' }, 'owner is not a field'],
    [
      'an unknown field of a repository',
      { name: 'x', repos: [{ path: '/x', branch: 'main' }] },
      'branch is not a field',
    ],
    ['repositories that are no list', { name: 'x', repos: 7 }, 'repos'],
    ['a list for a body', [], 'body must be a JSON object'],
  ])('refuse %s', async (_, body, message) => {
    const refusal = await board.rest.refuses('invalid_argument', 'POST', '/api/projects', body);
    expect(refusal).toMatchObject({ status: 400, retryable: false });
    expect(refusal.message).toContain(message);
  });

  it.each([['limit=0'], ['limit=two'], ['limit=1.5'], ['cursor=-1'], ['limit=1&limit=2'], ['page=2']])(
    'refuse the query %s',
    async (query) => {
      const { details } = await board.rest.refuses('invalid_argument', 'GET', `/api/projects?${query}`);
      expect(details.fields[0].field).toBe(query.split('=')[0]);
    },
  );

  it('refuse a malformed id with a hint where ids come from, and a slug that is taken', async () => {
    await board.rest.refuses('invalid_argument', 'GET', '/api/projects/shop');
    await create({ name: 'x', slug: 'taken' });
    expect(await board.rest.refuses('slug_taken', 'POST', '/api/projects', { name: 'y', slug: 'taken' })).toMatchObject(
      { status: 409 },
    );
    for (const method of ['GET', 'PUT', 'DELETE'])
      await board.rest.refuses(
        'project_not_found',
        method,
        `/api/projects/${nowhere}`,
        method === 'PUT' ? { name: 'x' } : undefined,
      );
  });
});

describe('repositories over REST', () => {
  it('come with the project or are added, and are removed while no attempt used them', async () => {
    const repository = board.repository();
    repository.git('branch', 'dev');
    const { project_id } = await create({ name: 'With repositories', repos: [{ path: repository.dir }] });
    const place = `/api/projects/${project_id}/repos`;
    const added = await board.rest.answers(201, 'POST', place, {
      path: repository.dir,
      name: 'again',
      default_target_branch: 'dev',
      setup_script: 'make',
      cleanup_script: '',
    });
    expect(added).toMatchObject({
      repo_name: 'again',
      default_target_branch: 'dev',
      path: repository.dir,
      url: null,
      setup_script: 'make',
      cleanup_script: null,
    });
    const list = await board.rest.answers(200, 'GET', place);
    expect(list.repos.map((repo: Json) => [repo.repo_name, repo.default_target_branch])).toEqual([
      ['again', 'dev'],
      [path.basename(repository.dir), 'main'],
    ]);
    expect(await board.rest.answers(200, 'GET', `${place}?limit=1`)).toMatchObject({
      count: 1,
      has_more: true,
      repos: [{ repo_name: 'again' }],
    });
    expect(await board.rest.answers(200, 'DELETE', `${place}/${added.repo_id}`)).toEqual({
      removed_repo_id: added.repo_id,
    });
    expect(await board.rest.refuses('repo_not_found', 'DELETE', `${place}/${added.repo_id}`)).toMatchObject({
      status: 404,
    });
  });

  it('are cloned from a URL into the data folder', async () => {
    const origin = board.repository({ 'a.txt': 'a\n' });
    const { project_id } = await create({ name: 'Cloned', repos: [{ url: `file://${origin.dir}` }] });
    const [repo] = (await board.rest.answers(200, 'GET', `/api/projects/${project_id}/repos`)).repos;
    expect(repo).toMatchObject({
      url: `file://${origin.dir}`,
      repo_name: path.basename(origin.dir),
      default_target_branch: 'main',
    });
    expect(repo.path.startsWith(board.server.environment.DATA_DIR)).toBe(true);
    expect(existsSync(repo.path as string)).toBe(true);
  });

  it('take their clone with them when they go', async () => {
    const origin = board.repository();
    const { project_id } = await create({ name: 'Gone', repos: [{ url: `file://${origin.dir}` }] });
    const [repo] = (await board.rest.answers(200, 'GET', `/api/projects/${project_id}/repos`)).repos;
    await board.rest.answers(200, 'DELETE', `/api/projects/${project_id}/repos/${repo.repo_id}`);
    expect([existsSync(repo.path as string), existsSync(origin.dir)]).toEqual([false, true]);
  });

  it('are never what the server keeps itself', async () => {
    const { project_id } = await board.project();
    const { attempt_id } = await board.endedAttempt(project_id);
    const tree = path.join(board.server.environment.DATA_DIR, 'worktrees', attempt_id, 'web');
    for (const repo of [{ path: tree }, { url: tree }, { url: `file://${tree}` }]) {
      const fields = { name: 'Stolen', repos: [{ ...repo, name: 'web' }] };
      const { body } = await board.server.rest.post('/api/projects', fields);
      expect(body).toMatchObject({ code: 'repo_invalid', message: expect.stringContaining('belongs to this server') });
    }
  });

  it('stay once an attempt used them, even when its task is deleted', async () => {
    const { project_id, repo_id } = await board.project({ setup_script: 'true' });
    const { task_id } = await board.endedAttempt(project_id);
    const refused = () => board.rest.refuses('repo_in_use', 'DELETE', `/api/projects/${project_id}/repos/${repo_id}`);
    expect(await refused()).toMatchObject({ status: 409 });
    await board.rest.answers(200, 'DELETE', `/api/tasks/${task_id}`);
    expect((await refused()).hint).toContain('repos in POST /api/tasks/{task_id}/attempts');
  });

  it('are refused, and nothing of the project is written, when they cannot be used', async () => {
    const empty = board.server.repositories.path('empty');
    const usable = board.repository();
    usable.git('init', '--quiet', empty);
    const before = (await board.rest.answers(200, 'GET', '/api/projects')).count;
    const clones = () =>
      readdirSync(path.join(board.server.environment.DATA_DIR, 'repos'), { recursive: true, encoding: 'utf8' }).filter(
        (name) => name.endsWith('HEAD'),
      ).length;
    const clonesBefore = clones();
    const refused = async (code: string, repo: Json) =>
      board.rest.refuses(code, 'POST', '/api/projects', {
        name: 'Refused',
        repos: [{ url: `file://${usable.dir}`, name: 'first' }, repo],
      });
    expect(await refused('repo_invalid', { path: 'relative/path' })).toMatchObject({ status: 400 });
    await refused('repo_invalid', { path: '/does/not/exist' });
    await refused('repo_invalid', { path: board.server.repositories.dir });
    await refused('repo_invalid', { path: empty });
    await refused('repo_invalid', { url: 'file:///does/not/exist.git' });
    expect((await refused('branch_unknown', { path: usable.dir, default_target_branch: 'nope' })).hint).toContain(
      'main',
    );
    await refused('ambiguous_target', { path: usable.dir, url: `file://${usable.dir}` });
    await refused('missing_target', { name: 'x' });
    await refused('invalid_argument', { path: usable.dir, name: '../up' });
    expect(await refused('repo_name_taken', { path: usable.dir, name: 'first' })).toMatchObject({ status: 409 });
    expect((await board.rest.answers(200, 'GET', '/api/projects')).count).toBe(before);
    expect(clones()).toBe(clonesBefore);
  });

  it('are refused for a project that is not there', async () => {
    for (const method of ['GET', 'POST'])
      await board.rest.refuses(
        'project_not_found',
        method,
        `/api/projects/${nowhere}/repos`,
        method === 'POST' ? { path: '/x' } : undefined,
      );
    await board.rest.refuses('project_not_found', 'DELETE', `/api/projects/${nowhere}/repos/${nowhere}`);
  });
});

describe('a project with a live run', () => {
  it('is not deleted', async () => {
    const { project_id } = await board.project();
    const { attempt_id, task_id } = await board.attempt(project_id, 'sleep 60');
    expect(await board.rest.refuses('project_in_use', 'DELETE', `/api/projects/${project_id}`)).toMatchObject({
      status: 409,
    });
    await board.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/stop`, { force: true });
    await board.rest.answers(200, 'DELETE', `/api/projects/${project_id}`);
    await board.rest.refuses('task_not_found', 'GET', `/api/tasks/${task_id}`);
    await board.rest.refuses('attempt_not_found', 'GET', `/api/attempts/${attempt_id}`);
  });
});
