import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  allRawLines,
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  untilEnded,
} from '../../support/board.js';
import { CallingRun } from '../../support/calling-run.js';
import { eventually } from '../../support/eventually.js';
import { GitSandbox } from '../../support/git-repository.js';
import { InProcessServer } from '../../support/in-process-server.js';
import type { McpClient } from '../../support/mcp-client.js';

const VALUE = 'hunter2 & "more"';
const sandbox = new GitSandbox();
const server = InProcessServer.use(CallingRun.settings(sandbox));
let client: McpClient;
beforeAll(async () => (client = await server.mcp()));
afterAll(() => sandbox.remove());

const secretsOf = (project_id: string, name = '') => `/api/projects/${project_id}/secrets${name && `/${name}`}`;
const setSecret = (project_id: string, name: string, expose?: string[], value = VALUE) =>
  server.rest.does('PUT', secretsOf(project_id, name), { value, ...(expose ? { expose } : {}) });
const requires = (project_id: string, ...required_secrets: string[]) =>
  server.rest.does('PUT', `/api/projects/${project_id}`, { required_secrets });

/** Rows of every table in which one of the texts stands, by table. */
async function rowsWith(...texts: string[]): Promise<string[]> {
  const tables = await server.query<{ name: string }>(
    "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ('public', 'queue')",
  );
  const hits = tables.map(({ name }) =>
    server.query<{ row: string }>(
      `SELECT $2 || ': ' || line AS row FROM (SELECT t::text AS line FROM ${name} t) rows
       WHERE EXISTS (SELECT 1 FROM unnest($1::text[]) wanted WHERE position(wanted IN line) > 0
         OR position(encode(convert_to(wanted, 'UTF8'), 'hex') IN line) > 0)`,
      [texts, name],
    ),
  );
  return (await Promise.all(hits)).flat().map(({ row }) => row);
}

describe('secrets of a project', () => {
  it('are set, named and removed, and never shown again', async () => {
    const { project_id } = await givenProject(server);
    expect(await setSecret(project_id, 'NPM_TOKEN')).toMatchObject({ name: 'NPM_TOKEN', expose: ['setup', 'checks'] });
    await setSecret(project_id, 'API_KEY', ['agent', 'agent']);
    const { secrets } = await server.rest.does('GET', secretsOf(project_id));
    expect(secrets).toEqual([
      { name: 'API_KEY', expose: ['agent'], updated_at: expect.any(String) },
      { name: 'NPM_TOKEN', expose: ['setup', 'checks'], updated_at: expect.any(String) },
    ]);
    for (const time of [1, 2])
      expect([time, await server.rest.does('DELETE', secretsOf(project_id, 'API_KEY'))]).toEqual([
        time,
        { removed_secret: 'API_KEY' },
      ]);
    expect((await server.rest.does('GET', secretsOf(project_id))).secrets).toHaveLength(1);
    const audit = await server.rest.does('GET', `/api/projects/${project_id}/audit`);
    expect(JSON.stringify(audit)).toContain('"secret_set"');
    expect(JSON.stringify(audit)).toContain('"secret_removed"');
    expect(JSON.stringify(audit)).not.toContain('hunter2');
  });

  it('cannot be called as what a server or a shell needs, nor as no variable is called', async () => {
    const { project_id } = await givenProject(server);
    const refusals = {
      secret_name_reserved: ['TASKYARD_TOKEN', 'GIT_DIR', 'LD_PRELOAD', 'HTTPS_PROXY', 'PATH', 'NODE_OPTIONS'],
      invalid_argument: ['lower', '1ST', 'WITH-DASH', 'TWO WORDS'],
    };
    for (const [code, names] of Object.entries(refusals))
      for (const name of names) {
        const path = secretsOf(project_id, encodeURIComponent(name));
        const body = await server.rest.answers(400, 'PUT', path, { value: VALUE });
        expect([name, body]).toMatchObject([name, { code, retryable: false }]);
        expect(JSON.stringify(body)).not.toContain('hunter2');
      }
  });

  it('are nothing for runs, which cannot write them into records either', async () => {
    const { project_id } = await givenProject(server);
    await setSecret(project_id, 'API_KEY', ['setup']);
    const run = await CallingRun.start(client, project_id, sandbox);
    const ask = (method: string, name: string, body?: object) =>
      server.rest.refuses('unauthenticated', method, secretsOf(project_id, name), body, run.given.headers);
    await ask('GET', '');
    await ask('PUT', 'API_KEY', { value: 'another value' });
    await ask('DELETE', 'API_KEY');
    const task = { title: `say ${VALUE}`, description: VALUE, project_id };
    const made = await run.call('create_task', task);
    expect(made).toMatchObject({ task_id: expect.any(String) });
    const { task_id } = made;
    expect(await client.call('get_task', { task_id })).toMatchObject({
      task: { title: 'say ***', description: '***' },
    });
    await run.end();
    expect((await server.rest.does('GET', secretsOf(project_id))).secrets).toHaveLength(1);
  });
});

describe('a run', () => {
  it('gets what is exposed to it, and none of it is stored in clear', async () => {
    const say = 'echo "setup=$FOR_SETUP agent=$FOR_AGENT checks=$FOR_CHECKS"';
    const { project_id } = await givenProject(server, { setup_script: `${say}; printf %s "$FOR_SETUP" > said.txt` });
    await setSecret(project_id, 'FOR_SETUP', ['setup']);
    await setSecret(project_id, 'FOR_AGENT', ['agent'], 'agent-only-value');
    await setSecret(project_id, 'FOR_CHECKS', ['checks'], 'checks-only-value');
    const script = [
      say,
      'cat said.txt; echo',
      'printf "$FOR_AGENT" | head -c 5; sleep 0.3; printf "$FOR_AGENT" | tail -c +6; echo',
      'printf "user:$FOR_AGENT" | base64',
      'echo "$FOR_AGENT" >&2',
    ].join('\n');
    const { attempt_id, state } = await givenEndedAttempt(client, project_id, script);
    expect(state).toBe('completed');
    const lines = await allRawLines(client, attempt_id as string);
    expect(lines.filter((line) => line.includes('setup='))).toEqual([
      'setup=*** agent= checks=',
      'setup= agent=*** checks=',
    ]);
    expect(lines.filter((line) => line === '***')).toHaveLength(3);
    expect(lines.some((line) => /^dXNlc\S*\*\*\*/.test(line))).toBe(true);
    expect(await rowsWith(VALUE, 'agent-only-value', 'checks-only-value', 'YWdlbnQtb25seS12YWx1Z')).toEqual([]);
    expect(await rowsWith('setup=***')).not.toEqual([]); // the look finds what is there
  });

  it('of an agent that fails does not tell a secret as the reason', async () => {
    const { project_id } = await givenProject(server);
    await setSecret(project_id, 'API_KEY', ['agent'], 'key-that-was-refused');
    const ended = await givenEndedAttempt(client, project_id, 'echo "bad key: $API_KEY" >&2; exit 3');
    expect(ended.state).toBe('failed');
    expect(JSON.stringify(ended)).not.toContain('key-that-was-refused');
    expect(await rowsWith('key-that-was-refused')).toEqual([]);
  });

  it('does not begin without the secrets that its project requires, which the refusal names', async () => {
    const { project_id } = await givenProject(server);
    expect(await requires(project_id, 'API_KEY', 'NPM_TOKEN')).toMatchObject({
      required_secrets: ['API_KEY', 'NPM_TOKEN'],
    });
    await setSecret(project_id, 'NPM_TOKEN');
    const task_id = await givenTask(client, project_id);
    const start = { task_id, executor: 'SHELL' };
    const refused = await client.refused('start_task_attempt', start);
    expect(refused).toMatchObject({ code: 'secret_missing', details: { project_id, names: ['API_KEY'] } });
    expect(refused.hint).toContain(`PUT /api/projects/${project_id}/secrets/`);
    await setSecret(project_id, 'API_KEY');
    const { attempt_id } = await client.call('start_task_attempt', start);
    expect((await untilEnded(client, attempt_id as string)).state).toBe('completed');
    await server.rest.does('DELETE', secretsOf(project_id, 'API_KEY'));
    expect(await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'echo again' })).toMatchObject({
      code: 'secret_missing',
    });
  });

  it('that was queued before its secret went fails by its name', async () => {
    const { project_id } = await givenProject(server);
    await setSecret(project_id, 'API_KEY', ['agent']);
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project_id, wait);
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo "got $API_KEY"' });
    await requires(project_id, 'API_KEY');
    await server.rest.does('DELETE', secretsOf(project_id, 'API_KEY'));
    open();
    const summary = async () => (await untilEnded(client, attempt_id as string)).failure_summary as string | null;
    await eventually('the queued turn to fail', async () => (await summary())?.includes('API_KEY'));
    expect(await allRawLines(client, attempt_id as string)).not.toContain('got ');
  });
});

describe('the key of a server', () => {
  it('may change as long as the one before is known; a lost one is told by the names of what it sealed', async () => {
    const { project_id } = await givenProject(server);
    await setSecret(project_id, 'API_KEY', ['agent']);
    const task_id = await givenTask(client, project_id, 'test -n "$API_KEY"');
    const begin = async () => {
      const mcp = await server.mcp();
      const { attempt_id } = await mcp.call('start_task_attempt', { task_id, executor: 'SHELL' });
      return (await untilEnded(mcp, attempt_id as string)).state as string;
    };
    const key = path.join(server.environment.DATA_DIR, 'secret-key');
    const cluster = { CLUSTER_SECRET: 'a secret of at least thirty-two letters', INTERNAL_PORT: '0' };
    await server.restart(cluster);
    expect(await begin()).toBe('completed');
    writeFileSync(key, 'lost'); // sealed anew at the start, so that nobody misses it
    const next = { ...cluster, CLUSTER_SECRET: 'another secret of thirty-two letters or so' };
    await server.restart({ ...next, CLUSTER_SECRET_PREVIOUS: cluster.CLUSTER_SECRET });
    expect(await begin()).toBe('completed');
    await server.restart(next);
    expect(await begin()).toBe('completed');
    await server.restart({ ...cluster, CLUSTER_SECRET: 'a third one, and nobody knows the second' });
    expect(await begin()).toBe('failed');
    await server.rest.does('PUT', `/api/projects/${project_id}`, { required_secrets: ['API_KEY'] });
    const refused = await (await server.mcp()).refused('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(refused).toMatchObject({ code: 'secret_missing', details: { names: ['API_KEY'] } });
  });
});
