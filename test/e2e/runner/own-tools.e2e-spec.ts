import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createApp } from '../../../src/bootstrap.js';
import { loadEnvironment } from '../../../src/config/environment.js';
import { demoProfile } from '../../../src/executors/demo/demo-profile.js';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { GitSandbox } from '../../support/git-repository.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { type RunningServer, TestServer } from '../../support/server.js';

/** Time enough to take a turn. */
const LATE_MS = 1_000;

/** Between its start and the moment at which it listens, something takes long. */
class LateServer extends InProcessServer {
  protected override async startOne(settings: Record<string, string>, databaseUrl: string): Promise<RunningServer> {
    this.app = await createApp(loadEnvironment(settings), databaseUrl);
    await delay(LATE_MS);
    await this.app.listen(0, '127.0.0.1');
    return { url: await this.app.getUrl(), pid: process.pid, close: () => this.app.close() };
  }
}

it('a turn that waited over a restart has the tools of the server', async () => {
  const sandbox = new GitSandbox();
  const { program: command, args, env } = demoProfile(sandbox.path('agent'), null);
  const speaking = {
    id: 'SPEAKS_MCP',
    command,
    args,
    env,
    protocol: 'acp',
    mcp: true,
    shared: [sandbox.path('agent')],
  };
  const settings = { EXECUTORS_FILE: sandbox.path('executors.json') };
  writeFileSync(settings.EXECUTORS_FILE, JSON.stringify({ executors: [speaking] }));
  const before = await TestServer.start({ ...settings, ROLE: 'api' }, undefined, sandbox);
  const { project_id } = await givenProject(before);
  const prompt = { executor: 'SPEAKS_MCP', prompt: 'say hello' };
  const { attempt_id } = await givenAttempt(await before.mcp(), project_id, 'x', prompt);
  await before.close();
  const { DATA_DIR } = before.environment;
  const server = await LateServer.start({ ...settings, ROLE: 'all', DATA_DIR }, before.database, sandbox);
  expect(await untilEnded(await server.mcp(), attempt_id as string)).toMatchObject({ state: 'completed' });
  const tokens = await server.query<{ has_token: boolean }>(
    'SELECT token_hash IS NOT NULL AS has_token FROM executions WHERE attempt_id = $1',
    [attempt_id],
  );
  expect(tokens).toEqual([{ has_token: true }]);
  await server.stop();
});
