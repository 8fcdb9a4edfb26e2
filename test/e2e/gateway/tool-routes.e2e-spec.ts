import { beforeAll, describe, expect, it } from '@jest/globals';
import { toolsets } from '../../../src/toolsets/toolsets.js';
import { givenEndedAttempt, givenProject, type Project } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const tools = '/api/toolsets/kanban/tools';
const completions = '/api/toolsets/kanban/completions';
const unknownId = '0198c0de-0000-7000-8000-00000000dead';
const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

describe('POST /api/toolsets/{toolset}/tools/{name}', () => {
  it('answers the result of the tool', async () => {
    const created = await server.rest.post(`${tools}/create_task`, {
      project_id: project.project_id,
      title: 'By REST',
    });
    expect(created).toMatchObject({ status: 200, body: { task_id: expect.any(String) } });
    expect([created.headers.get('taskyard-outcome'), created.headers.get('content-type')]).toEqual([
      'result',
      'application/json; charset=utf-8',
    ]);
    const { task_id } = created.body;
    expect((await server.rest.post(`${tools}/get_task`, { task_id })).body).toEqual(
      await client.call('get_task', { task_id }),
    );
  });

  it('takes no body as no arguments', async () => {
    const answer = await fetchAsOwner(`${server.url}${tools}/list_projects`, { method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([200, await client.call('list_projects')]);
  });

  it('answers what the tool refuses with its status, in the words of the dialect', async () => {
    const missing = await server.rest.post(`${tools}/get_task`, { task_id: unknownId });
    expect(missing.status).toBe(404);
    expect(missing.headers.get('taskyard-outcome')).toBe('refusal');
    expect(missing.body).toEqual(await client.refused('get_task', { task_id: unknownId }));
    expect(missing.body.hint).toContain('Call list_tasks');
    for (const args of [{}, { task_id: 17 }, [], '"text"', null]) {
      expect(await server.rest.post(`${tools}/get_task`, args as object)).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument' },
      });
    }
  });

  it('binds an attempt', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    expect(await server.rest.post(`${tools}/get_context?attempt_id=${attempt_id}`)).toMatchObject({
      status: 200,
      body: { attempt_id },
    });
    expect(await server.rest.post(`${tools}/get_context`)).toMatchObject({
      status: 404,
      body: { code: 'tool_unknown', hint: expect.stringContaining('?attempt_id=') },
    });
    expect(await server.rest.post(`${tools}/get_context?attempt_id=${unknownId}`)).toMatchObject({
      status: 404,
      body: { code: 'attempt_not_found' },
    });
    expect(await server.rest.post(`${tools}/list_projects?attempt_id=17`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument' },
    });
    expect(await server.rest.post(`${tools}/list_projects?attempt=1`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: expect.stringContaining('attempt is not a field') },
    });
  });

  it('lists what there is where the name is wrong', async () => {
    expect(await server.rest.post('/api/toolsets/nothing/tools/get_task')).toMatchObject({
      status: 404,
      body: { code: 'toolset_unknown', hint: `Use one of: ${toolsets.map(({ id }) => id).join(', ')}.` },
    });
    const wrong = await server.rest.post(`${tools}/nothing`);
    expect(wrong).toMatchObject({
      status: 404,
      body: { code: 'tool_unknown', hint: expect.stringContaining('create_task') },
    });
    expect(wrong.headers.get('taskyard-outcome')).toBeNull();
    for (const name of ['constructor', '__proto__'])
      expect((await server.rest.post(`${tools}/${name}`)).body.code).toBe('tool_unknown');
    for (const name of ['constructor', '__proto__'])
      expect((await server.rest.post(`/api/toolsets/${name}/tools/get_task`)).body.code).toBe('toolset_unknown');
  });

  it.each(toolsets.map(({ id, tools: all }) => [id, all.length] as const))(
    'names every tool of %s, %i in all',
    async (id, count) => {
      const { details } = (await server.rest.post(`/api/toolsets/${id}/tools/nothing`)).body;
      expect(details.similar).toHaveLength(count);
    },
  );
});

describe('POST /api/toolsets/{toolset}/completions', () => {
  it('answers the values that begin with what is typed', async () => {
    expect(await server.rest.post(completions, { argument: 'executor', value: 'sh' })).toMatchObject({
      status: 200,
      body: { values: ['SHELL'] },
    });
    expect(
      (
        await server.rest.post(completions, {
          argument: 'target_branch',
          value: '',
          context: { project_id: project.project_id, repo_id: project.repo_id },
        })
      ).body.values,
    ).toContain('main');
    expect((await server.rest.post(completions, { argument: 'colour', value: '' })).body).toEqual({ values: [] });
  });

  it.each([
    [{}],
    [{ argument: 'executor' }],
    [{ argument: 'executor', value: 1 }],
    [{ argument: 'executor', value: '', context: { executor: 1 } }],
    [{ argument: 'executor', value: '', more: 1 }],
  ])('refuses %j', async (body) => {
    expect(await server.rest.post(completions, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument' },
    });
  });

  it('refuses an unknown toolset', async () => {
    expect(
      await server.rest.post('/api/toolsets/nothing/completions', { argument: 'executor', value: '' }),
    ).toMatchObject({ status: 404, body: { code: 'toolset_unknown' } });
  });
});
