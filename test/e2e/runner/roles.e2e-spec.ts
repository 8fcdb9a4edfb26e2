import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TurnWorker } from '../../../src/runner/turn-worker.js';
import { StopAttemptService } from '../../../src/work/stop-attempt.service.js';
import { SANDBOX, type Sandbox } from '../../../src/platform/sandbox/sandbox.js';
import { givenAttempt, givenProject, untilEnded, untilLine } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { InProcessServer } from '../../support/in-process-server.js';

describe('one process that serves and one that runs', () => {
  let api: InProcessServer;
  let runner: InProcessServer;
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    api = await InProcessServer.start({ ROLE: 'api', CLUSTER_SECRET });
    runner = await InProcessServer.start(
      { ROLE: 'runner', CLUSTER_SECRET, DATA_DIR: api.environment.DATA_DIR, ISOLATION: 'none' },
      api.database,
      api.repositories,
    );
    client = await api.mcp();
    ({ project_id } = await givenProject(api));
  });
  afterAll(async () => {
    await runner.stop({ keepDatabase: true, keepFiles: true });
    await api.stop();
  });

  it('turns that the one begins the other works through, and a stop reaches it by the row', async () => {
    const ended = await givenAttempt(client, project_id, 'echo hello');
    expect(await untilEnded(client, ended.attempt_id)).toMatchObject({ state: 'completed', final_message: 'hello' });
    const endless = await givenAttempt(client, project_id, 'echo ready; sleep 600');
    await untilLine(client, endless.attempt_id, 'ready');
    expect(await client.call('stop_attempt', { attempt_id: endless.attempt_id })).toMatchObject({
      stopped: true,
      state: 'failed',
    });
  });

  it('the one says how the other isolates runs', async () => {
    expect(await api.rest.does('GET', '/api/executors')).toMatchObject({
      isolation: 'none',
      isolation_reason: expect.stringMatching(/^the runs of \S+ are not isolated$/),
      limits: runner.app.get<Sandbox>(SANDBOX, { strict: false }).limits,
    });
  });

  it('the one loads no runner, the other no verbs', () => {
    expect(() => api.app.get(TurnWorker, { strict: false })).toThrow();
    expect(() => runner.app.get(StopAttemptService, { strict: false })).toThrow();
    expect(runner.app.get(TurnWorker, { strict: false })).toBeInstanceOf(TurnWorker);
  });

  it.each(['/health/live', '/health/ready', '/metrics'])('the runner answers %s', async (path) => {
    expect((await fetch(`${runner.url}${path}`)).status).toBe(200);
  });

  it.each([
    ['GET', '/api/projects'],
    ['GET', '/api/executors'],
    ['GET', '/api/approvals'],
    ['POST', '/api/workers'],
    ['GET', '/api/attempts/0198c0de-0000-7000-8000-00000000dead'],
    ['GET', '/api/docs'],
    ['GET', '/api/openapi.json'],
    ['POST', '/mcp'],
    ['POST', '/mcp/taskflow'],
    ['POST', '/api/toolsets/kanban/tools/list_projects'],
  ])('the runner does not serve %s %s', async (method, path) => {
    const response = await fetch(`${runner.url}${path}`, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'route_not_found' });
  });
});
