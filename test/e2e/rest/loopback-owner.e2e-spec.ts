import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { fetchAsOwner } from '../../support/local-tokens.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { AS_NOBODY, call, codeOf } from '../../support/plain-http.js';
import { ServerProcess } from '../../support/server-process.js';
import { TestServer } from '../../support/server.js';
import { onlyWith } from '../../support/machine.js';

/** Prints the status and the body of an address. */
const CALL =
  'const [url] = process.argv.slice(1); ' +
  'fetch(url).then(async (answer) => console.log(answer.status + " " + await answer.text()));';
const run = promisify(execFile);

describe('S6: a server on loopback without a token and without walls', () => {
  const server = TestServer.use({ SHELL_EXECUTOR: 'on', ISOLATION: 'none' });
  let client: McpClient;
  let project_id: string;
  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  const called = async (account: string[] = []): Promise<string> =>
    (await run(process.execPath, [...account, '-e', CALL, `${server.url}/api/projects`], { cwd: '/' })).stdout;

  it('serves every program of its own user', async () => {
    expect(await called()).toContain(`200 {"projects":[{"project_id":"${project_id}"`);
  });

  onlyWith('root').it('refuses another account of the machine', async () => {
    const answer = await called(AS_NOBODY);
    expect(answer).toMatch(/^401 /);
    expect(JSON.parse(answer.slice(4))).toMatchObject({
      code: 'unauthenticated',
      hint: expect.stringContaining('TASKFLOW_SERVICE_TOKEN'),
    });
  });

  it('takes no run for its owner: a run has a token', async () => {
    const script = `'${process.execPath}' -e '${CALL}' ${server.url}/api/projects`;
    const { state, final_message } = await givenEndedAttempt(client, project_id, script);
    expect(state).toBe('completed');
    const answer = final_message as string;
    expect(answer).toMatch(/^401 /);
    expect(JSON.parse(answer.slice(4)) as Json).toMatchObject({
      code: 'unauthenticated',
      hint: expect.stringContaining('its own token'),
    });
  });
});

onlyWith('bubblewrap').describe('S3: a server on loopback whose runs have walls', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  let database: TestDatabase;
  let server: ServerProcess;
  beforeAll(async () => {
    database = await createTestDatabase();
    server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: dataDir, ISOLATION: 'bubblewrap' });
  });
  afterAll(async () => {
    await ServerProcess.endLeft();
    server.repositories.remove();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const signIn = (token: string) =>
    call(
      `${server.url}/ui/session`,
      { 'content-type': 'application/json', origin: server.url },
      'POST',
      JSON.stringify({ token }),
    );

  it('serves nobody without a credential, its own user neither', async () => {
    for (const place of ['/api/projects', '/mcp', '/mcp/taskflow']) {
      const answer = await fetch(server.url + place, { method: place.startsWith('/mcp') ? 'POST' : 'GET' });
      expect([place, answer.status, ((await answer.json()) as Json).hint]).toEqual([
        place,
        401,
        expect.stringContaining('local-token'),
      ]);
    }
  });

  it('has a token for its owner in a file that nobody else reads, which outlives a restart', async () => {
    expect(statSync(path.join(dataDir, 'local-token')).mode & 0o777).toBe(0o600);
    expect(await (await fetchAsOwner(`${server.url}/api/me`)).json()).toMatchObject({ kind: 'owner' });
    const before = server;
    await server.end();
    server = await server.startAgain();
    expect(server.url).not.toBe(before.url);
    expect((await fetchAsOwner(`${server.url}/api/me`)).status).toBe(200);
  });

  it('greets with commands that hold the token, and with a link for the page', () => {
    expect(server.output).toContain(`--header "Authorization: Bearer $(cat '${dataDir}/local-token')"`);
    expect(server.output).toMatch(/Sign in {2}http:\S+\/ui#sign-in=ty_link_[\w-]{43} \(once/);
  });

  it('lets the link sign in once', async () => {
    const [, code] = /#sign-in=(\S+)/.exec(server.output)!;
    expect((await signIn(code!)).status).toBe(200);
    const again = await signIn(code!);
    expect([again.status, codeOf(again)]).toEqual([401, 'unauthenticated']);
    expect((await call(`${server.url}/api/me`, { authorization: `Bearer ${code}` })).status).toBe(401);
  });
});
