import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { demoProfile } from '../../../src/executors/demo/demo-profile.js';
import { givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { GitSandbox } from '../../support/git-repository.js';

const sandbox = new GitSandbox();
const file = sandbox.path('executors.json');
const { program: command, args, env } = demoProfile(sandbox.path('agent'), null);
const agent = { command, args, env, protocol: 'acp', shared: [sandbox.path('agent')] };
const executors = [
  { id: 'SPEAKS_MCP', ...agent, mcp: true },
  { id: 'SPEAKS_NONE', ...agent, mcp: false },
];
writeFileSync(file, JSON.stringify({ executors }));
const ground = ClusterGround.use({ AGENT_API_URL: '', EXECUTORS_FILE: file });
let project_id: string;

beforeAll(async () => {
  await ground.runner('one');
  ({ project_id } = await givenProject(ground.api));
});
afterAll(() => sandbox.remove());

it('a runner that knows no address of the API refuses an agent that speaks MCP, and runs the others', async () => {
  const start = { executor: 'SPEAKS_MCP', prompt: 'say hello' };
  const { attempt_id } = await givenAttempt(ground.client, project_id, 'x', start);
  expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({
    state: 'failed',
    failure_summary: expect.stringMatching(/it speaks MCP, a runner serves none, and AGENT_API_URL is not set on it/),
  });
  const other = await givenAttempt(ground.client, project_id, 'x', { ...start, executor: 'SPEAKS_NONE' });
  expect(await untilEnded(ground.client, other.attempt_id as string)).toMatchObject({ state: 'completed' });
  expect(await givenEndedAttempt(ground.client, project_id, 'echo runs')).toMatchObject({ final_message: 'runs' });
});
