import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { givenProject } from '../../support/board.js';
import { CallingRun } from '../../support/calling-run.js';
import { eventually } from '../../support/eventually.js';
import { GitSandbox } from '../../support/git-repository.js';
import { asOwner } from '../../support/local-tokens.js';
import { InProcessServer } from '../../support/in-process-server.js';
import type { Json } from '../../support/mcp-client.js';
import { ParentProxy } from '../../support/parent-proxy.js';

/** What a run says to its way out, said by the test: the socket is all that makes it the run. */
function asRun(execution_id: string, method: string, path: string, more: { headers?: object; body?: object } = {}) {
  const folder = readdirSync('/tmp').find((name) => existsSync(`/tmp/${name}/${execution_id}`))!;
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more.headers,
    };
    const request = http.request({ socketPath: `/tmp/${folder}/${execution_id}`, method, path, headers }, (answer) => {
      void text(answer).then((said) => resolve({ status: answer.statusCode!, text: said }));
    });
    request.on('error', reject).end(more.body && JSON.stringify(more.body));
  });
}

describe('by its way out a run', () => {
  const sandbox = new GitSandbox();
  let parent: ParentProxy;
  let server: InProcessServer;
  let run: CallingRun;
  let execution_id: string;
  let project_id: string;
  beforeAll(async () => {
    parent = await ParentProxy.start();
    const settings = { ...CallingRun.settings(sandbox), RUN_NETWORK: 'auto', EGRESS_PROXY: parent.url };
    server = await InProcessServer.start(settings);
    ({ project_id } = (await givenProject(server)) as { project_id: string });
    await server.rest.does('PUT', `/api/projects/${project_id}`, { network: 'listed', presets: ['model'] });
    run = await CallingRun.start(await server.mcp(), project_id, sandbox);
    const [row] = await server.query<{ id: string }>("SELECT id FROM executions WHERE status = 'running'");
    execution_id = row!.id;
  });
  afterAll(async () => {
    await run.end();
    await server.stop();
    sandbox.remove();
    parent.stop();
  });

  const tool = async (name: string, args: object, headers: object = {}) => {
    const params = { name, arguments: args };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { pathname, search } = new URL(run.given.url);
    const answer = JSON.parse((await asRun(execution_id, 'POST', pathname + search, { headers, body })).text) as Json;
    return answer.result ? ((answer.result as Json).structuredContent as Json) : answer;
  };
  const ask = (args: object) => tool('request_host', { reason: 'needed for the build', ...args });
  const answer = (approval_id: unknown, body: object) =>
    server.rest.does('POST', `/api/approvals/${approval_id as string}/answer`, { decision: 'approve', ...body });

  it('is given its endpoint at the relay, and is itself there with its token or without', async () => {
    expect(run.given.url).toBe(`http://127.0.0.1:3128/mcp?attempt_id=${run.attempt_id}`);
    for (const headers of [{}, run.given.headers, { 'x-user-id': 'somebody', cookie: 'a=b' }])
      expect(await tool('get_context', {}, headers)).toMatchObject({ attempt_id: run.attempt_id });
  });

  it('is nobody else: no other token, no other address of the server', async () => {
    expect(await tool('get_context', {}, asOwner(server.url))).toMatchObject({ code: 'unauthenticated' });
    for (const path of ['/metrics', '/api/projects', '/health/live', '/mcp/approvals', '/mcp/../api/projects'])
      expect([path, await asRun(execution_id, 'GET', path)]).toEqual([
        path,
        { status: 403, text: expect.stringContaining('"forbidden"') },
      ]);
  });

  it('is told that nonsense is nonsense, and is still there', async () => {
    expect(await asRun(execution_id, 'GET', '//[')).toMatchObject({ status: 400 });
    expect(await tool('get_context', {})).toMatchObject({ attempt_id: run.attempt_id });
  });

  it('need not ask for the host of its model', async () => {
    expect(await ask({ host: 'model.example' })).toMatchObject({ status: 'allowed', approval_id: null });
    expect(await asRun(execution_id, 'GET', 'http://model.example/')).toMatchObject({ status: 200 });
  });

  it('asks for a host, which a person allows for the run; asked twice it is one request', async () => {
    const [first, second] = await Promise.all([
      ask({ host: 'A.example', wait_ms: 0 }),
      ask({ host: 'a.example', wait_ms: 0 }),
    ]);
    expect(first).toMatchObject({ host: 'a.example', port: null, status: 'pending', approval_id: expect.any(String) });
    expect(second.approval_id).toBe(first.approval_id);
    const waiting = ask({ host: 'a.example' });
    expect(await answer(first.approval_id, {})).toMatchObject({ requested_host: 'a.example', granted_for: 'run' });
    expect(await waiting).toMatchObject({ status: 'allowed' });
    expect(await asRun(execution_id, 'GET', 'http://a.example/')).toEqual({ status: 200, text: 'GET a.example/' });
    expect((await server.rest.does('GET', `/api/projects/${project_id}`)).allowed_hosts).toEqual([]);
    expect(await ask({ host: 'a.example', port: 443 })).toMatchObject({ status: 'allowed', approval_id: null });
  });

  it('gets a host for the whole project from a maintainer, and a no that stays a no', async () => {
    const first = await ask({ host: 'b.example', port: 8080, wait_ms: 0 });
    await answer(first.approval_id, { for: 'project' });
    expect((await server.rest.does('GET', `/api/projects/${project_id}`)).allowed_hosts).toEqual(['b.example:8080']);
    const second = await ask({ host: 'c.example', wait_ms: 0 });
    await answer(second.approval_id, { decision: 'deny', reason: 'Use the mirror.' });
    for (const time of [1, 2])
      expect([time, await ask({ host: 'c.example' })]).toMatchObject([
        time,
        { status: 'denied', reason: 'Use the mirror.', approval_id: second.approval_id },
      ]);
    expect((await asRun(execution_id, 'GET', 'http://c.example/')).text).toContain('request_host');
    await asRun(execution_id, 'GET', 'http://c.example/');
    await eventually('the event', async () => {
      const told = await server.query("SELECT data FROM events WHERE type = 'taskyard.network.denied'");
      return told.length === 1;
    });
  });

  it('is asked for what a host is, and cannot answer itself', async () => {
    for (const host of ['https://d.example/', '*.d.example', 'd.example:80', ''])
      expect([host, await ask({ host })]).toMatchObject([host, { code: 'invalid_argument' }]);
    expect(await ask({ host: 'd.example', port: 65_536 })).toMatchObject({ code: 'invalid_argument' });
    const { approval_id } = await ask({ host: 'd.example', wait_ms: 0 });
    expect(await tool('answer_approval', { approval_id, decision: 'approve' })).toMatchObject({
      error: { data: { code: 'tool_unknown' } },
    });
    const outside = await server.mcp(`?attempt_id=${run.attempt_id}`);
    expect((await outside.sdk.listTools()).tools.map(({ name }) => name)).not.toContain('request_host');
    await run.end();
    expect(await server.rest.does('GET', `/api/approvals?status=cancelled`)).toMatchObject({
      approvals: [{ approval_id, requested_host: 'd.example' }],
    });
  });
});
