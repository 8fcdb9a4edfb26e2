import { randomUUID } from 'node:crypto';
import { get, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { EventStream } from '../../support/event-stream.js';
import { asOwner } from '../../support/local-tokens.js';
import type { Json } from '../../support/mcp-client.js';
import { sendLegacy } from '../../support/rpc.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LONG = 'x'.repeat(9_000);
const board = Board.share();

interface Raw {
  status: number;
  headers: Record<string, string | undefined>;
  bytes: Buffer;
}

/** As it left the server: fetch would unpack it. */
const raw = (path: string, headers: Record<string, string> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    get(`${board.server.url}${path}`, { headers: asOwner(board.server.url, headers) }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers as never, bytes: Buffer.concat(parts) }),
      );
    }).on('error', reject);
  });

/** The status line, the headers and the body of an address that no client would send. */
const badAddress = (): Promise<{ id: string | undefined; body: Json }> =>
  new Promise((resolve, reject) => {
    const sent = request(board.server.url, { path: '/api/%zz' }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ id: answer.headers['x-request-id'] as string, body: JSON.parse(text) as Json }));
    });
    sent.on('error', reject).end();
  });

describe('the id of a request', () => {
  it('is in the header of every answer, and in the envelope of every refusal', async () => {
    const { headers } = await board.rest.get('/api/projects');
    expect(headers.get('x-request-id')).toMatch(UUID);
    const refusals = await Promise.all([
      board.rest.get(`/api/tasks/${randomUUID()}`),
      board.rest.get('/api/nothing'),
      board.rest.post('/api/projects', { name: '' }),
      board.rest.get('/api/projects?limit=none'),
    ]);
    for (const { status, headers: answered, body } of refusals) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(answered.get('x-request-id')).toMatch(UUID);
      expect(body.details.http_request_id).toBe(answered.get('x-request-id'));
    }
    expect(new Set(refusals.map(({ body }) => body.details.http_request_id as string)).size).toBe(refusals.length);
  });

  it('is there where no route was found for an address that cannot be read', async () => {
    const { id, body } = await badAddress();
    expect(id).toMatch(UUID);
    expect(body).toMatchObject({ code: 'route_not_found', details: { http_request_id: id } });
  });

  it('is in the header alone of what a model reads', async () => {
    const call = { name: 'get_task', arguments: { task_id: randomUUID() } };
    const { headers, text } = await sendLegacy(`${board.server.url}/mcp`, 'tools/call', call);
    expect(headers.get('x-request-id')).toMatch(UUID);
    expect(text).toContain('task_not_found');
    expect(text).not.toContain(headers.get('x-request-id'));
  });
});

describe('what is created', () => {
  it('has its address in Location', async () => {
    const at = async (path: string, body: object): Promise<Json> => {
      const { status, headers, body: created } = await board.rest.post(path, body);
      expect(status).toBe(201);
      const address = headers.get('location')!;
      const found = await board.rest.does('GET', address);
      return { address, created, found };
    };
    const project = await at('/api/projects', { name: 'Located' });
    expect(project.found.project_id).toBe(project.created.project_id);
    const task = await at(`/api/projects/${project.created.project_id}/tasks`, { title: 'Find me' });
    expect(task.address).toBe(`/api/tasks/${task.created.task_id}`);
    expect(task.found.title).toBe('Find me');
    const subtask = await at(`${task.address}/subtasks`, { title: 'Below it' });
    expect(subtask.found.parent_task_id).toBe(task.created.task_id);
    const { project_id } = await board.project();
    const task_id = await board.task(project_id);
    const attempt = await at(`/api/tasks/${task_id}/attempts`, {});
    expect(attempt.found.attempt_id).toBe(attempt.created.attempt_id);
    const session = await at(`${attempt.address}/sessions`, { executor: 'SHELL', prompt: 'true' });
    expect(session.found.session_id).toBe(session.created.session_id);
  });

  it('has none where nothing was created', async () => {
    const { headers } = await board.rest.post('/api/projects', { name: '' });
    expect(headers.get('location')).toBeNull();
  });
});

describe('a long answer', () => {
  let path: string;
  beforeAll(async () => {
    const { project_id } = await board.project();
    const task_id = await board.task(project_id, 'Read me', LONG);
    path = `/api/tasks/${task_id}`;
  });

  it('leaves compressed, as the client asks for it', async () => {
    const plain = await raw(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const gzip = await raw(path, { 'accept-encoding': 'gzip' });
    expect(gzip.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 5);
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
    const br = await raw(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
  });

  it('leaves as it is for who knows no compression that the server has', async () => {
    const { headers, bytes } = await raw(path, { 'accept-encoding': 'identity' });
    expect(headers['content-encoding']).toBeUndefined();
    expect((JSON.parse(bytes.toString()) as Json).description).toBe(LONG);
  });

  it('is no event stream, and no short answer', async () => {
    const project = await raw('/api/projects?limit=1', { 'accept-encoding': 'gzip' });
    expect(project.headers['content-encoding']).toBeUndefined();
    const { project_id } = (JSON.parse(project.bytes.toString()) as Json).projects[0] as Json;
    const stream = await EventStream.open(`${board.server.url}/api/projects/${project_id}/events`, -1, {
      'accept-encoding': 'gzip, br',
    });
    expect(stream.answer.headers['content-encoding']).toBeUndefined();
    expect(stream.answer.headers['x-request-id']).toMatch(UUID);
    expect(await stream.next()).toEqual({ id: -1 });
    stream.close();
  });
});
