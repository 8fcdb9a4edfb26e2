import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { givenProject } from '../../support/board.js';
import { asOwner } from '../../support/local-tokens.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const MEGABYTE = 1024 * 1024;
/** A body of more values is refused before it is parsed. */
const LEVELS = 15_000;
const arrays = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
const objects = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

interface Answer {
  status: number;
  body: Json;
}

describe('requests that are meant to hurt', () => {
  const server = TestServer.use();
  let client: McpClient;
  let project_id: string;
  let routes: Record<string, string>;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
    routes = { mcp: '/mcp', rest: `/api/projects/${project_id}/tasks`, tool: '/api/toolsets/kanban/tools/create_task' };
  });
  /** Whatever came before: the server serves, and nothing was written. */
  afterEach(async () => {
    expect((await client.call('list_tasks', { project_id })).tasks).toEqual([]);
  });

  /** Plain HTTP, because fetch sets Host and the length by itself. */
  function send(route: string, body: string | Readable, headers: Record<string, string> = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${server.url}${route}`,
        {
          method: 'POST',
          agent: false,
          headers: asOwner(server.url, {
            connection: 'keep-alive',
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          }),
        },
        (answer) => {
          let text = '';
          answer
            .setEncoding('utf8')
            .on('data', (part: string) => {
              text += part;
            })
            .on('end', () => {
              outgoing.destroy();
              resolve({ status: answer.statusCode!, body: JSON.parse(text) as Json });
            });
        },
      );
      outgoing.on('error', (error) => reject(error));
      if (typeof body === 'string') outgoing.end(body);
      else body.pipe(outgoing);
    });
  }
  const toolCall = (args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":${args}}}`;

  it.each(['mcp', 'rest', 'tool'])(
    'answers 413 to 60 MB by %s that are announced, without reading them',
    async (route) => {
      const { status, body } = await send(routes[route]!, '{', { 'content-length': String(60 * MEGABYTE) });
      expect([status, (body.error?.data?.code ?? body.code) as string]).toEqual([413, 'payload_too_large']);
    },
  );

  it.each(['mcp', 'rest', 'tool'])(
    'answers 413 to 60 MB by %s that come unannounced, and keeps none of it',
    async (route) => {
      const before = process.memoryUsage.rss();
      let peak = before;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss());
      }, 5);
      const chunk = Buffer.alloc(MEGABYTE, 'x');
      const bodies = Array.from({ length: 4 }, () =>
        Readable.from(
          (function* () {
            yield '{"title":"';
            for (let at = 0; at < 60; at += 1) yield chunk;
          })(),
        ),
      );
      const answers = await Promise.all(bodies.map((body) => send(routes[route]!, body))).finally(() =>
        clearInterval(watch),
      );
      expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
      expect(peak - before).toBeLessThan(100 * MEGABYTE); // 240 MB were offered
    },
  );

  it.each([
    ['arrays', arrays],
    ['objects', objects],
  ])(`refuses ${LEVELS} levels of %s by name of the field, over MCP and REST`, async (_, deep) => {
    const args = `{"project_id":"${project_id}","title":${deep}}`;
    const mcp = await send(routes.mcp!, toolCall(args));
    expect([mcp.status, mcp.body.result.isError, mcp.body.result.structuredContent.code]).toEqual([
      200,
      true,
      'invalid_argument',
    ]);
    const rest = await send(routes.rest!, `{"title":${deep}}`);
    expect([rest.status, rest.body.code]).toEqual([400, 'invalid_argument']);
    const tool = await send(routes.tool!, args);
    expect([tool.status, tool.body.code]).toEqual([400, 'invalid_argument']);
  });

  it.each([
    ['arrays', arrays],
    ['objects', objects],
  ])(`refuses ${LEVELS} levels of %s in place of a message, an id, parameters or a whole body`, async (_, deep) => {
    for (const message of [
      deep,
      `{"jsonrpc":"2.0","id":${deep},"method":"ping"}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`,
      `{"jsonrpc":"2.0","id":1,"method":${deep}}`,
      toolCall(deep),
    ]) {
      const { status, body } = await send(routes.mcp!, message);
      expect([
        status < 500,
        body.error !== undefined || body.result?.isError === true || Array.isArray(body.result?.tools),
      ]).toEqual([true, true]);
    }
    for (const route of ['rest', 'tool']) expect((await send(routes[route]!, deep)).status).toBe(400);
  });

  it.each([
    ['broken', '{"jsonrpc":'],
    ['empty', ''],
    ['no JSON', 'hello'],
    ['cut off', toolCall('{}').slice(0, -3)],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1')],
  ])('answers 400 to a body that is %s', async (_, body) => {
    const mcp = await send(routes.mcp!, body);
    expect([mcp.status, mcp.body.error.code]).toEqual([400, -32700]);
    const rest = await send(routes.rest!, body);
    expect([rest.status, rest.body.code]).toEqual([400, 'malformed_body']);
  });

  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }, 'origin_forbidden'],
    ['an Origin of null', { origin: 'null' }, 'origin_forbidden'],
    ['an Origin that only begins like ours', { origin: 'http://localhost.evil.example' }, 'origin_forbidden'],
    ['a foreign Host', { host: 'evil.example' }, 'host_forbidden'],
    ['a Host that leads here by name', { host: '127.0.0.1.evil.example:8000' }, 'host_forbidden'],
  ])('answers 403 to %s, before it reads a body', async (_, headers, code) => {
    for (const route of ['mcp', 'rest', 'tool']) {
      const { status, body } = await send(routes[route]!, '{', {
        ...headers,
        'content-length': String(50 * MEGABYTE),
      });
      expect([route, status, body.code]).toEqual([route, 403, code]);
    }
  });
});
