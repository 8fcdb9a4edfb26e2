import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { AS_NOBODY } from '../../support/plain-http.js';
import { TestServer } from '../../support/server.js';
import { onlyWith } from '../../support/machine.js';

/** Prints the status and the body of an address. */
const CALL =
  'const [url] = process.argv.slice(1); ' +
  'fetch(url).then(async (answer) => console.log(answer.status + " " + await answer.text()));';
const run = promisify(execFile);

describe('S6: a server on loopback without a token', () => {
  const server = TestServer.use({ SHELL_EXECUTOR: 'on' });
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
