import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApp } from '../../../src/bootstrap.js';
import { type Environment, loadEnvironment } from '../../../src/config/environment.js';
import { ApiClient } from '../../../src/gateway/api-client.js';
import { localOwner } from '../../../src/platform/access/principal.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { TestGateway } from '../../support/gateway.js';
import type { Json } from '../../support/mcp-client.js';
import { sendLegacy } from '../../support/rpc.js';

const silent = { LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ISOLATION: 'none' };
const toolCall = async (gateway: TestGateway, query = '') =>
  JSON.parse((await sendLegacy(`${gateway.url}/mcp${query}`, 'tools/call', { name: 'list_projects' })).text) as Json;

describe('the gateway while the server is away', () => {
  let database: TestDatabase;
  let environment: Environment;
  beforeAll(async () => {
    database = await createTestDatabase();
    environment = loadEnvironment({ ...silent, DATA_DIR: mkdtempSync(path.join(tmpdir(), 'taskyard-data-')) });
  });
  afterAll(async () => {
    await database.drop();
    rmSync(environment.DATA_DIR, { recursive: true, force: true });
  });
  async function listen(port: number) {
    const app = await createApp(environment, database.url);
    await app.listen(port, '127.0.0.1');
    return app;
  }

  it('says so, still shows its tools, and goes on when the server is back', async () => {
    const first = await listen(0);
    const apiUrl = await first.getUrl();
    const gateway = await TestGateway.start(apiUrl);
    const ready = async () => (await fetch(`${gateway.url}/health/ready`)).status;
    expect((await toolCall(gateway)).result.structuredContent).toMatchObject({ projects: [] });
    expect(await ready()).toBe(200);

    await first.close();
    expect((await toolCall(gateway)).result).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'api_unavailable',
        retryable: true,
        hint: expect.stringMatching(/^Retry .* TASKFLOW_API_URL/),
        details: { reason: expect.stringContaining('unreachable') },
      },
    });
    const bound = await sendLegacy(`${gateway.url}/mcp?attempt_id=0198c0de-0000-7000-8000-00000000dead`, 'tools/list');
    expect([bound.status, JSON.parse(bound.text)]).toMatchObject([503, { code: 'api_unavailable' }]);
    const completion = await sendLegacy(`${gateway.url}/mcp`, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'work_on_task' },
      argument: { name: 'executor', value: '' },
    });
    expect(JSON.parse(completion.text)).toMatchObject({
      error: { code: -32603, data: { code: 'api_unavailable', retryable: true } },
    });
    expect((await sendLegacy(`${gateway.url}/mcp`, 'tools/list')).text).toContain('"create_task"');
    expect(await ready()).toBe(503);
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(/^process_cpu_user_seconds_total \d/m);

    const second = await listen(Number(new URL(apiUrl).port));
    expect((await toolCall(gateway)).result.structuredContent).toMatchObject({ projects: [] });
    expect(await ready()).toBe(200);
    await gateway.stop();
    await second.close();
  });
});

describe('an API that is none', () => {
  let api: Server;
  let answerWith: RequestListener;
  let gateway: TestGateway;
  let apiUrl: string;
  beforeAll(async () => {
    api = createServer((request, response) => answerWith(request, response));
    await new Promise<void>((resolve) => {
      api.listen(0, '127.0.0.1', resolve);
    });
    apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    gateway = await TestGateway.start(apiUrl);
  });
  afterAll(async () => {
    await gateway.stop();
    await new Promise((resolve) => {
      api.close(resolve).closeAllConnections();
    });
  });

  it.each<[string, RequestListener, string]>([
    [
      'a page',
      (_, response) => response.setHeader('content-type', 'text/html').end('<h1>Welcome</h1>'),
      'HTTP 200) is not from Taskyard',
    ],
    ['a result of somebody else', (_, response) => response.end('{"projects":[]}'), 'HTTP 200) is not from Taskyard'],
    ['a bad gateway', (_, response) => response.writeHead(502).end('upstream'), 'HTTP 502) is not from Taskyard'],
    [
      'an error of somebody else',
      (_, response) => response.writeHead(400).end('{"code":"toString","details":1}'),
      'HTTP 400) is not from Taskyard',
    ],
    [
      'a redirect',
      (_, response) => response.writeHead(307, { location: `${apiUrl}/elsewhere` }).end(),
      'HTTP 307) is not from Taskyard',
    ],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(200, { 'taskyard-outcome': 'result', 'content-length': 100 }).write('{"pro');
        setImmediate(() => response.destroy());
      },
      'connection was lost',
    ],
    [
      'nothing',
      (request) => {
        request.socket.destroy();
      },
      'connection was lost',
    ],
  ])('that answers %s cannot be used', async (_, listener, reason) => {
    answerWith = listener;
    for (const query of ['', '?readonly=true']) {
      expect((await toolCall(gateway, query)).result).toMatchObject({
        isError: true,
        structuredContent: {
          code: 'api_unavailable',
          retryable: true,
          details: { reason: expect.stringContaining(reason) },
        },
      });
    }
    const bound = await sendLegacy(`${gateway.url}/mcp?attempt_id=0198c0de-0000-7000-8000-00000000dead`, 'ping');
    expect([bound.status, JSON.parse(bound.text).code]).toEqual([503, 'api_unavailable']);
  });

  it.each<[string, RequestListener]>([
    ['answers', () => undefined],
    [
      'ends its answer',
      (_, response) => {
        response.writeHead(200, { 'taskyard-outcome': 'result' }).write('{"projects":[');
      },
    ],
  ])('that never %s is given up', async (_, listener) => {
    answerWith = listener;
    await expect(new ApiClient(apiUrl).get('/', localOwner, 50)).rejects.toMatchObject({
      code: 'api_unavailable',
      details: { reason: 'it did not respond within 0.05 s' },
    });
  });

  it.each([
    [
      '/mcp/taskflow',
      'taskflow_start_task',
      {
        error: true,
        code: 'api_unavailable',
        status_code: 503,
        task_id: 't1',
        retryable: true,
        hint: expect.stringContaining('TASKFLOW_API_URL'),
      },
    ],
    [
      '/mcp/colibri',
      'task_get',
      {
        ok: false,
        error: { code: 'HANDLER_ERROR', retryable: true, hint: expect.stringContaining('TASKFLOW_API_URL') },
      },
    ],
  ])('is told in the words of each dialect: %s', async (at, name, structuredContent) => {
    answerWith = (_, response) => response.end('nothing of ours');
    const { text } = await sendLegacy(gateway.url + at, 'tools/call', { name, arguments: { task_id: 't1' } });
    expect(JSON.parse(text)).toMatchObject({ result: { isError: true, structuredContent } });
  });

  it('hands on what the server refuses before it reaches a tool, in its own code', async () => {
    answerWith = (_, response) =>
      response
        .writeHead(429)
        .end('{"code":"rate_limited","message":"…","retryable":true,"hint":"…","details":{"retry_after_secs":7}}');
    expect((await toolCall(gateway)).result).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'rate_limited',
        hint: 'Wait 7 seconds, then retry.',
        details: { retry_after_secs: 7 },
      },
    });
  });

  it('keeps apart a refusal that a dialect words as a result', async () => {
    answerWith = (_, response) =>
      response.writeHead(404, { 'taskyard-outcome': 'result' }).end('{"ok":true,"data":{"ok":false}}');
    expect((await toolCall(gateway)).result).toEqual({
      content: [{ type: 'text', text: '{"ok":true,"data":{"ok":false}}' }],
      structuredContent: { ok: true, data: { ok: false } },
    });
  });
});
