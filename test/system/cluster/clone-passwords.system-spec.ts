import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { givenAttempt, givenEndedAttempt, untilEnded } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { eventually } from '../../support/eventually.js';
import { GitHttpServer } from '../../support/git-http-server.js';
import { GitSandbox, type GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';

const PASSWORD = 's3cret=%&';

describe('a repository behind a password that its URL held', () => {
  const box = new GitSandbox();
  // any host that a test starts
  const ground = ClusterGround.use({ REPOSITORY_HOSTS: '127.0.0.1' });
  let forge: GitHttpServer;
  let origin: GitRepository;
  let project_id: string;
  let repo_id: string;

  beforeAll(async () => {
    origin = box.repository('app', { 'a.txt': 'a\n' });
    forge = await GitHttpServer.start(box.dir, { password: PASSWORD });
    await ground.runner('one');
    const url = `http://user:${encodeURIComponent(PASSWORD)}@${forge.host}/app/.git`;
    const body = { name: 'Behind a password', repos: [{ url, name: 'web' }] };
    const project = await ground.api.rest.answers(201, 'POST', '/api/projects', body);
    project_id = project.project_id as string;
    const { repos } = await ground.api.rest.does('GET', `/api/projects/${project_id}/repos`);
    ({ repo_id } = repos[0] as { repo_id: string });
    expect(JSON.stringify([project, repos])).not.toContain('s3cret');
    await ground.end('one');
  });
  afterAll(async () => {
    await forge.stop();
    box.remove();
  });

  const sealed = () =>
    ground.api.query<Json>('SELECT encode(sealed, $2) AS sealed FROM clone_passwords WHERE repo_id = $1', [
      repo_id,
      'escape',
    ]);

  it('is cloned and fetched by a runner that never saw the URL', async () => {
    await ground.runner('two');
    const attempt = await givenEndedAttempt(ground.client, project_id, 'cat a.txt');
    expect(attempt).toMatchObject({ state: 'completed', final_message: 'a' });
    expect(existsSync(ground.path('two', 'repos', `${repo_id}.git`))).toBe(true);
    origin.write({ 'a.txt': 'later\n' });
    origin.git('checkout', '--quiet', '-b', 'later');
    origin.commit('later');
    const repos = [{ repo_id, target_branch: 'later' }];
    const { attempt_id } = await givenAttempt(ground.client, project_id, 'cat a.txt', { repos });
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ final_message: 'later' });
  });

  it('has its password in the database sealed alone, and not for a deleted project', async () => {
    const [row, ...others] = await sealed();
    expect([others, String(row!.sealed).includes('s3cret')]).toEqual([[], false]);
    expect(String(row!.sealed).length).toBeGreaterThan(PASSWORD.length);
    await ground.api.rest.does('DELETE', `/api/projects/${project_id}`);
    await eventually('the password to be gone', async () => (await sealed()).length === 0);
  });
});
