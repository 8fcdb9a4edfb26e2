import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, givenTask } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { GitSandbox } from '../../support/git-repository.js';
import { type Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

/** The agent under the variant that allows it less. */
const asItself = { executor: 'CALLER', variant: 'ASKING' };
/** Keeps its turn until the gate is open, and says where it was sent to. */
const agent = path.join(import.meta.dirname, '../../fixtures/calling-agent.mjs');

describe('a run with AGENT_SCOPES=attempts', () => {
  const repositories = new GitSandbox();
  const state = repositories.path('agent');
  const [calledAt, gate] = [path.join(state, 'called-at'), path.join(state, 'gate')];
  let server: TestServer;
  let person: McpClient;
  let run: McpClient;
  let project_id: string;
  let attempt_id: string;
  /** Made by the run. */
  let task_id: string;

  beforeAll(async () => {
    const variants = { ASKING: { permissions: 'ask' } };
    const common = {
      command: process.execPath,
      args: [agent],
      variants,
      env: { CALLED_AT: calledAt, GATE: gate },
      mcp: true,
      shared: [state],
    };
    const executors = ['CALLER', 'STRANGER'].map((id) => ({ id, ...common, protocol: 'acp' }));
    writeFileSync(repositories.path('executors.json'), JSON.stringify({ executors }));
    const settings = { AGENT_SCOPES: 'attempts', EXECUTORS_FILE: repositories.path('executors.json') };
    server = await TestServer.start(settings, undefined, repositories);
    person = await server.mcp();
    ({ project_id } = await givenProject(server));
    const own = { task_id: await givenTask(person, project_id), ...asItself };
    ({ attempt_id } = (await person.call('start_task_attempt', own)) as { attempt_id: string });
    await eventually('the call of the agent', () => existsSync(calledAt));
    const { url, headers } = JSON.parse(readFileSync(calledAt, 'utf8')) as { url: string; headers: object };
    run = await McpClient.connect(url, headers as Record<string, string>);
    ({ task_id } = (await run.call('create_task', { project_id, title: 'A part' })) as { task_id: string });
  });
  afterAll(async () => {
    writeFileSync(gate, '');
    await run.close();
    await server.stop();
  });

  const placeOf = async (id: string) =>
    (await server.query<Json>('SELECT parent_attempt_id, depth FROM attempts WHERE id = $1', [id]))[0];

  it('starts, follows up and stops an attempt of a task that it made, below its own', async () => {
    const start = { task_id, ...asItself, request_id: 'one' };
    const started = await run.call('start_task_attempt', start);
    expect(await run.call('start_task_attempt', start)).toEqual({ ...started, replayed: true });
    expect(await placeOf(started.attempt_id as string)).toEqual({ parent_attempt_id: attempt_id, depth: 1 });
    const target = { attempt_id: started.attempt_id as string };
    expect(await run.call('follow_up', { ...target, action: 'queue', prompt: 'more' })).toMatchObject({
      queue_status: 'queued',
    });
    expect(await run.call('follow_up', { ...target, action: 'cancel' })).toMatchObject({ queue_status: 'empty' });
    expect(await run.call('stop_attempt', { ...target, force: true })).toMatchObject({ stopped: true });
  });

  it('is shown these tools, and not the one that deletes', async () => {
    const names = (await run.sdk.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['start_task_attempt', 'follow_up', 'stop_attempt']));
    expect(names).not.toContain('delete_task');
  });

  it.each([
    { executor: 'SHELL' },
    { executor: 'DEMO' },
    { executor: 'STRANGER', variant: 'ASKING' },
    { executor: 'CALLER' },
    { executor: 'CALLER', variant: 'DEFAULT' },
  ])('starts no executor and no variant but its own: %j', async (chosen) => {
    expect(await run.refused('start_task_attempt', { task_id, ...chosen })).toMatchObject({
      code: 'forbidden',
      hint: 'Pass executor CALLER and variant ASKING.',
    });
  });

  it('follows up no session of another executor, though its own task holds it', async () => {
    const { attempt_id: other } = await person.call('start_task_attempt', {
      task_id,
      executor: 'SHELL',
      prompt: 'true',
    });
    await person.call('get_attempt_status', { attempt_id: other, wait_ms: 20_000 });
    const refused = await run.refused('follow_up', { attempt_id: other, action: 'send', prompt: 'id' });
    expect(refused).toMatchObject({ code: 'forbidden', message: expect.stringContaining('no executor or variant') });
  });

  it('touches no attempt of a task that it did not make, its own attempt included', async () => {
    const foreign = await givenTask(person, project_id);
    const started = await person.call('start_task_attempt', { task_id: foreign, ...asItself });
    const notMade = { code: 'forbidden', message: expect.stringContaining('tasks that it made') };
    expect(await run.refused('start_task_attempt', { task_id: foreign, ...asItself })).toMatchObject(notMade);
    for (const target of [started.attempt_id as string, attempt_id]) {
      expect(await run.refused('stop_attempt', { attempt_id: target })).toMatchObject(notMade);
      expect(await run.refused('follow_up', { attempt_id: target, action: 'queue', prompt: 'more' })).toMatchObject(
        notMade,
      );
    }
    await person.call('stop_attempt', { attempt_id: started.attempt_id, force: true });
  });

  it('starts nothing three deep, and the database would not have it', async () => {
    await server.query('UPDATE attempts SET depth = 3 WHERE id = $1', [attempt_id]);
    expect(await run.refused('start_task_attempt', { task_id, ...asItself })).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('3 deep'),
    });
    await expect(server.query('UPDATE attempts SET depth = 4 WHERE id = $1', [attempt_id])).rejects.toThrow();
    await server.query('UPDATE attempts SET depth = 0 WHERE id = $1', [attempt_id]);
  });
});
