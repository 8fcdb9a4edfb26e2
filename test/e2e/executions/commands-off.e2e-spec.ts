import { beforeAll, describe, expect, it } from '@jest/globals';
import { allowedExecutors } from '../../../src/executors/agent-adapters.js';
import { EXECUTOR_ADAPTERS, type ExecutorAdapter } from '../../../src/executors/executor.js';
import { givenProject, givenTask, type Project, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';

/** S3: what is switched off is off, by whatever way a command comes. */
describe('commands of callers, switched off', () => {
  const server = InProcessServer.use({ SHELL_EXECUTOR: 'off' });
  let client: McpClient;
  let project: Project;

  beforeAll(async () => {
    client = await server.mcp();
    project = await givenProject(server);
  });

  const demo = async (prompt: string): Promise<string> => {
    const task_id = await givenTask(client, project.project_id);
    return (await client.call('start_task_attempt', { task_id, executor: 'DEMO', prompt })).attempt_id as string;
  };
  const logOf = async (attempt_id: string): Promise<string> =>
    JSON.stringify((await client.call('tail_attempt_logs', { attempt_id, limit: 100 })).page.entries);

  it.each(['run', 'ask'])('DEMO refuses its %s line, and goes on', async (directive) => {
    const attempt_id = await demo(`${directive} echo ran > ran.txt\nwrite a.txt <<< a`);
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/a.txt']);
    expect(await logOf(attempt_id)).toContain('commands are switched off; set SHELL_EXECUTOR=on');
  });

  it('no repository is added with a script', async () => {
    const { status, body } = await server.rest.post(`/api/projects/${project.project_id}/repos`, {
      path: project.repository.dir,
      name: 'scripted',
      setup_script: 'echo ran',
    });
    expect([status, body.code]).toEqual([400, 'invalid_argument']);
    expect(JSON.stringify(body)).toContain('set SHELL_EXECUTOR=on');
  });

  it.each(['setup_script', 'cleanup_script'])('a %s of earlier days does not run', async (script) => {
    const other = await givenProject(server);
    await server.query(`UPDATE repos SET ${script} = 'echo ran > ran.txt' WHERE id = $1`, [other.repo_id]);
    const task_id = await givenTask(client, other.project_id);
    const started = await client.call('start_task_attempt', { task_id, executor: 'DEMO', prompt: 'say hello' });
    const attempt_id = started.attempt_id as string;
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('set SHELL_EXECUTOR=on'),
    });
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual([]);
  });
});

describe('EXECUTORS', () => {
  const server = InProcessServer.use({ EXECUTORS: 'demo' });

  it('lists the executors that exist at all', async () => {
    const client = await server.mcp();
    const { executors } = await client.call('list_executors');
    expect((executors as Json[]).map(({ executor }) => executor as string)).toEqual(['DEMO']);
    const { project_id } = await givenProject(server);
    const task_id = await givenTask(client, project_id);
    const refused = await client.refused('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(refused.code).toBe('executor_unknown');
  });

  it('names an executor that nobody knows', () => {
    const adapters = server.app.get<ExecutorAdapter[]>(EXECUTOR_ADAPTERS, { strict: false });
    expect(() => allowedExecutors(adapters, { EXECUTORS: ['DEMO', 'SHEL'] })).toThrow('EXECUTORS names SHEL');
  });
});
