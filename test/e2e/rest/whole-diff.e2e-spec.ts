import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { fetchAsOwner } from '../../support/local-tokens.js';
import type { GitRepository } from '../../support/git-repository.js';

const board = Board.share();
const picture = randomBytes(4_000);
const latin = Buffer.from('caf\xe9 au lait\n', 'latin1');

async function download(attempt_id: string, query = ''): Promise<Buffer> {
  const answer = await fetchAsOwner(`${board.server.url}/api/attempts/${attempt_id}/diff.patch${query}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/x-patch']);
  return Buffer.from(await answer.arrayBuffer());
}

const apply = (repository: GitRepository, patch: Buffer) =>
  execFileSync('git', ['apply', '--3way'], { cwd: repository.dir, input: patch, stdio: ['pipe', 'ignore', 'pipe'] });
const fileOf = ({ dir }: GitRepository, name: string) => readFileSync(path.join(dir, name));

describe('the whole diff of an attempt', () => {
  let project_id: string;
  let repository: GitRepository;
  let attempt_id: string;
  beforeAll(async () => {
    const files = { 'readme.md': '# hello\n', 'old.bin': picture, 'latin.txt': latin, 'moved.txt': 'a\nb\nc\n' };
    ({ project_id, repository } = await board.project({ files }));
    const attempt = await board.endedAttempt(
      project_id,
      'echo more >> readme.md; cat old.bin old.bin > new.bin; rm old.bin; tail -c 5 latin.txt >> latin.txt; ' +
        'git mv moved.txt there.txt; git commit -qm moved',
    );
    attempt_id = attempt.attempt_id as string;
  });

  it('is taken by git apply --3way: committed or not, binary, renamed, of any encoding', async () => {
    apply(repository, await download(attempt_id));
    expect(fileOf(repository, 'readme.md').toString()).toBe('# hello\nmore\n');
    expect(fileOf(repository, 'new.bin').equals(Buffer.concat([picture, picture]))).toBe(true);
    expect(fileOf(repository, 'latin.txt').equals(Buffer.concat([latin, latin.subarray(-5)]))).toBe(true);
    expect(fileOf(repository, 'there.txt').toString()).toBe('a\nb\nc\n');
    expect(repository.git('status', '--porcelain', '--', 'old.bin', 'moved.txt')).toBe('D  moved.txt\nD  old.bin');
    repository.git('reset', '--quiet', '--hard');
  });

  it('is the same in several slices', async () => {
    const large = await board.endedAttempt(project_id, 'head -c 9000000 /dev/urandom | base64 > large.txt');
    const patch = await download(large.attempt_id as string);
    expect(patch.length).toBeGreaterThan(12_000_000);
    apply(repository, patch);
    expect(fileOf(repository, 'large.txt').length).toBeGreaterThan(12_000_000);
    repository.git('reset', '--quiet', '--hard');
  });

  it('is what was delivered, once all is', async () => {
    const before = await download(attempt_id);
    await board.rest.does('POST', `/api/attempts/${attempt_id}/merge`, { checked_out: 'update' });
    const after = await download(attempt_id);
    expect(after.toString('latin1')).toContain('rename to there.txt');
    expect(after.length).toBe(before.length);
  });

  it('is empty where nothing was made', async () => {
    const idle = await board.endedAttempt(project_id, 'true');
    expect(await download(idle.attempt_id as string)).toHaveLength(0);
  });

  it('asks which repository is meant, where there are several', async () => {
    const [one, two] = [board.repository(), board.repository()];
    const repos = [one, two].map(({ dir }, at) => ({ path: dir, name: `repo-${at}` }));
    const { project_id: both } = await board.rest.does('POST', '/api/projects', { name: 'Both', repos });
    const attempt = await board.endedAttempt(both as string, 'echo x > repo-1/x.txt');
    const place = `/api/attempts/${attempt.attempt_id}/diff.patch`;
    const refused = await board.rest.answers(400, 'GET', place);
    expect(refused).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('repo-1 (') });
    const listed = await board.rest.does('GET', `/api/projects/${both}/repos`);
    const { repo_id } = (listed.repos as { repo_name: string; repo_id: string }[]).find(
      ({ repo_name }) => repo_name === 'repo-1',
    )!;
    expect((await download(attempt.attempt_id as string, `?repo_id=${repo_id}`)).toString()).toContain('b/x.txt');
    const foreign = await board.rest.answers(404, 'GET', `${place}?repo_id=0198c0de-0000-7000-8000-000000000002`);
    expect(foreign.code).toBe('repo_not_found');
  });
});
