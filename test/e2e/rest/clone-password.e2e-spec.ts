import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { givenAttempt, givenEndedAttempt, untilEnded } from '../../support/board.js';
import { GitHttpServer } from '../../support/git-http-server.js';
import { type GitRepository, GitSandbox } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const PASSWORD = 's3cret=%&';

/** S20 */
describe('a repository behind a password that its URL held, on a server that is alone', () => {
  const server = TestServer.use({ REPOSITORY_HOSTS: '127.0.0.1' });
  const box = new GitSandbox();
  let forge: GitHttpServer;
  let origin: GitRepository;
  let client: McpClient;
  beforeAll(async () => {
    origin = box.repository('app', { 'a.txt': 'a\n' });
    forge = await GitHttpServer.start(box.dir, { password: PASSWORD });
    client = await server.mcp();
  });
  afterAll(async () => {
    await forge.stop();
    box.remove();
  });

  it('is fetched with it at every start, and has it in the database sealed alone', async () => {
    const url = `http://user:${encodeURIComponent(PASSWORD)}@${forge.host}/app/.git`;
    const body = { name: 'Behind a password', repos: [{ url, name: 'web' }] };
    const project = await server.rest.answers(201, 'POST', '/api/projects', body);
    expect(JSON.stringify(project)).not.toContain('s3cret');
    const project_id = project.project_id as string;
    expect(await givenEndedAttempt(client, project_id, 'cat a.txt')).toMatchObject({ final_message: 'a' });
    origin.write({ 'a.txt': 'later\n' });
    origin.git('checkout', '--quiet', '-b', 'later');
    origin.commit('later');
    const [{ repo_id }] = (await server.rest.does('GET', `/api/projects/${project_id}/repos`)).repos as [Json];
    const repos = [{ repo_id, target_branch: 'later' }];
    const { attempt_id } = await givenAttempt(client, project_id, 'cat a.txt', { repos });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ final_message: 'later' });
    const rows = await server.query<{ sealed: Buffer }>('SELECT sealed FROM clone_passwords');
    expect(rows.map(({ sealed }) => sealed.includes('s3cret'))).toEqual([false]);
    const key = path.join(server.environment.DATA_DIR, 'secret-key');
    expect([existsSync(key), statSync(key).mode & 0o777, readFileSync(key, 'utf8').length]).toEqual([true, 0o600, 43]);
  });
});
