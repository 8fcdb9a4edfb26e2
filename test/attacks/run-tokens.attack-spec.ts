import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedDocument } from '../support/accepted-file.js';
import { routeAttacks, type Target, toolAttacks } from '../support/attack-calls.js';
import { AttackGround } from '../support/attack-ground.js';
import { givenProject, givenTask, untilEnded } from '../support/board.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';
import { call, sendBytes, statusOf } from '../support/plain-http.js';

/** An agent that keeps its turn until the gate is open, and says where it was sent to. */
const agent = path.join(import.meta.dirname, '../fixtures/calling-agent.mjs');
const JSON_BODY = { 'content-type': 'application/json' };

const ground = AttackGround.use({}, ({ repositories, settings }) => {
  const env = { CALLED_AT: repositories.path('called-at'), GATE: repositories.path('gate') };
  const declared = { id: 'CALLER', command: process.execPath, args: [agent], env, protocol: 'acp', mcp: true };
  settings.EXECUTORS_FILE = repositories.path('executors.json');
  writeFileSync(settings.EXECUTORS_FILE, JSON.stringify({ executors: [declared] }));
});
let given: { url: string; headers: Record<string, string> };
/** A task of the same project that is not the run's. */
let target: Target;
let attempt_id: string;

beforeAll(async () => {
  const { kanban, repositories } = ground;
  const { project_id, repo_id } = await givenProject(ground.server);
  const other = await kanban.call('start_task_attempt', {
    task_id: await givenTask(kanban, project_id),
    executor: 'SHELL',
    prompt: 'true',
  });
  await untilEnded(kanban, other.attempt_id as string);
  const { task_id, session_id, execution_process_id } = other as Record<string, string>;
  target = {
    ...{ project_id, repo_id, task_id, id: task_id, session_id, execution_process_id },
    ...{ attempt_id: other.attempt_id, toolset: 'kanban', name: 'list_projects', user_id: '@mallory' },
  };
  const own = { task_id: await givenTask(kanban, project_id), executor: 'CALLER' };
  attempt_id = (await kanban.call('start_task_attempt', own)).attempt_id as string;
  await eventually('the call of the agent', () => existsSync(repositories.path('called-at')));
  given = JSON.parse(readFileSync(repositories.path('called-at'), 'utf8')) as typeof given;
});

async function callTool(name: string, args: object): Promise<Json> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const answer = await call(given.url, { ...given.headers, ...JSON_BODY }, 'POST', JSON.stringify(message));
  return JSON.parse(answer.body) as Json;
}

const routes = routeAttacks(acceptedDocument());

describe('held', () => {
  describe('held: the token of a run on every REST route', () => {
    it.each(routes.map((route) => [route.name, route] as const))('%s', async (_, { method, path, body }) => {
      const sent = JSON.stringify(body(target));
      const url = `${ground.url}${path(target)}`;
      for (const place of [url, `${url}${url.includes('?') ? '&' : '?'}attempt_id=${attempt_id}`])
        expect((await call(place, { ...given.headers, ...JSON_BODY }, method, sent)).status).toBe(401);
    });
  });

  describe('held: the token of a run off its path', () => {
    it.each<[string, (own: string, other: string) => string]>([
      ['without its attempt', () => '/mcp'],
      ['with another attempt', (_, other) => `/mcp?attempt_id=${other}`],
      ['with its attempt and another', (own, other) => `/mcp?attempt_id=${own}&attempt_id=${other}`],
      ['with another attempt first', (own, other) => `/mcp?attempt_id=${other}&attempt_id=${own}`],
      ['with its attempt as a list', (own) => `/mcp?attempt_id[]=${own}`],
      ['with its attempt in capitals of the name', (own) => `/mcp?ATTEMPT_ID=${own}`],
      ['with its attempt and a blank', (own) => `/mcp?attempt_id=${own}%20`],
      ['with its attempt after NUL', (own) => `/mcp?attempt_id=%00${own}`],
      ['TaskFlow', (own) => `/mcp/taskflow?attempt_id=${own}`],
      ['Colibri', (own) => `/mcp/colibri?attempt_id=${own}`],
      ['approvals', (own) => `/mcp/approvals?attempt_id=${own}`],
      ['a slash behind', (own) => `/mcp/?attempt_id=${own}`],
      ['a slash before', (own) => `//mcp?attempt_id=${own}`],
      ['a dot', (own) => `/./mcp?attempt_id=${own}`],
      ['a way round', (own) => `/mcp/../mcp/taskflow?attempt_id=${own}`],
      ['an escape', (own) => `/%6dcp/colibri?attempt_id=${own}`],
    ])('%s', async (_, place) => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const answer = await sendBytes(
        ground.url,
        `POST ${place(attempt_id, String(target.attempt_id))} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${message.length}`,
        `Authorization: ${given.headers.authorization}`,
        '',
        message,
      );
      expect([400, 401, 404]).toContain(statusOf(answer));
      expect(answer).not.toContain('"tools"');
    });
  });
});

describe('S4: an agent changes, starts, stops and deletes what is not its own', () => {
  const contents = async () =>
    (
      await ground.query<Json>(
        `SELECT (SELECT md5(string_agg(t::text, ' ' ORDER BY id)) FROM tasks t) AS tasks,
           (SELECT count(*)::int FROM executions) AS executions`,
      )
    )[0];
  const changing = toolAttacks.filter(
    ({ toolset, tool }) => toolset === 'kanban' && !/^(get|list|tail|wait)_/.test(tool),
  );
  it.each(changing.filter(({ tool }) => tool !== 'create_task').map((one) => [one.name, one] as const))(
    '%s',
    async (_, { tool, args }) => {
      const before = await contents();
      const { result } = await callTool(tool, args(target));
      expect(result).toMatchObject({ isError: true, structuredContent: { code: 'forbidden' } });
      expect(await contents()).toEqual(before);
    },
  );

  it('create_task in another project', async () => {
    const { project_id } = await givenProject(ground.server, { name: 'Another' });
    const { result } = await callTool('create_task', { project_id, title: 'x' });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'project_not_found' } });
  });

  it('X-User-Id makes it somebody else', async () => {
    const own = { ...given.headers };
    given.headers['x-user-id'] = 'ada';
    const { result } = await callTool('delete_task', { task_id: target.task_id });
    given.headers = own;
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'forbidden' } });
  });
});

describe('S4', () => {
  it('the token of a run outlives it', async () => {
    writeFileSync(ground.repositories.path('gate'), '');
    await untilEnded(ground.kanban, attempt_id);
    expect(await callTool('get_context', {})).toMatchObject({ code: 'unauthenticated' });
  });
});
