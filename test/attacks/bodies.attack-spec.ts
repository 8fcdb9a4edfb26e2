import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenProject, untilEnded } from '../support/board.js';
import { nowhere } from '../support/board-fixture.js';
import { call, sendBytes, statusOf } from '../support/plain-http.js';

const ground = AttackGround.use({ SHELL_EXECUTOR: 'on' });
const JSON_BODY = { 'content-type': 'application/json' };
let project_id: string;
let tasks: string;
let attempt_id: string;
beforeAll(async () => {
  ({ project_id } = await givenProject(ground.server));
  tasks = `/api/projects/${project_id}/tasks`;
  ({ attempt_id } = (await givenEndedAttempt(ground.kanban, project_id)) as { attempt_id: string });
});
/** Whatever came before: the server serves, and nothing was written. */
afterEach(async () => {
  expect((await ground.rest.does('GET', tasks)).count).toBe(1);
});

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

describe('S2', () => {
  it('twenty bodies of 180 000 keys end a live run', async () => {
    const script = 'for n in 1 2 3; do echo $n; sleep 0.3; done';
    const task_id = (await ground.rest.does('GET', tasks)).tasks[0].task_id as string;
    const live = await ground.kanban.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: script });
    const flood = JSON.stringify(keys(180_000));
    const statuses = Array.from({ length: 20 }, (_, at) =>
      ground.rest.send('POST', ['/api/workers', '/mcp', '/api/toolsets/kanban/completions'][at % 3]!, flood),
    );
    for (const { status } of await Promise.all(statuses)) expect(status).toBe(400);
    expect(await untilEnded(ground.kanban, live.attempt_id as string)).toMatchObject({ state: 'completed' });
  });
});

describe('held: content types that pages may send unasked', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/xml',
    'application/octet-stream',
    'text/plain; charset=utf-8; x=application/json',
    'application/jsonp',
    'text/json',
    '',
  ])('"%s"', async (type) => {
    for (const path of [tasks, '/mcp', '/api/toolsets/kanban/tools/create_task']) {
      const body = JSON.stringify({ title: 'x', project_id });
      const { status } = await call(`${ground.url}${path}`, type === '' ? {} : { 'content-type': type }, 'POST', body);
      expect(status).toBe(415);
    }
  });
});

describe('held: bodies that are meant to hurt', () => {
  const LEVELS = 2_000_000;
  it.each<[string, () => string | Buffer, Record<string, string>?]>([
    ['2 million levels of lists', () => `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`],
    ['half a million levels of objects', () => `${'{"a":'.repeat(LEVELS / 4)}1${'}'.repeat(LEVELS / 4)}`],
    ['15 000 levels in a field', () => `{"title":${'['.repeat(15_000)}${']'.repeat(15_000)}}`],
    ['60 MB', () => `{"title":"${'x'.repeat(60 * 1024 * 1024)}"}`],
    ['60 MB announced only', () => '{', { 'content-length': String(60 * 1024 * 1024) }],
    ['a gzip bomb', () => gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }],
    ['a deflate body', () => gzipSync('{"title":"x"}'), { 'content-encoding': 'deflate' }],
    ['a number of a million digits', () => `{"title":${'9'.repeat(1_000_000)}}`],
    ['a title of 1 MB', () => JSON.stringify({ title: 'x'.repeat(1_000_000) })],
    ['a second body behind it', () => '{"title":"x"}{"title":"y"}'],
    ['nothing', () => ''],
  ])('%s', async (_, body, headers = {}) => {
    for (const path of [tasks, '/mcp', '/api/toolsets/kanban/tools/create_task']) {
      const sent = body();
      const head = { ...JSON_BODY, 'content-length': String(Buffer.byteLength(sent)), ...headers };
      const bytes = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
      const answer = await sendBytes(
        ground.url,
        `POST ${path} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        ...bytes,
        '',
        Buffer.isBuffer(sent) ? sent.toString('latin1') : sent,
      );
      expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
      expect(statusOf(answer)).toBeLessThan(500);
    }
  });
});

describe('held: keys that reach prototypes', () => {
  it.each([
    '{"title":"x","__proto__":{"status":"done"}}',
    '{"title":"x","constructor":{"prototype":{"status":"done"}}}',
    '{"__proto__":{"title":"x"}}',
    '{"title":{"__proto__":{"toString":1}}}',
    '{"title":["__proto__"]}',
    '{"toString":"x","valueOf":"y"}',
    '{"title":"x","hasOwnProperty":1}',
  ])('%s', async (body) => {
    const { status } = await ground.rest.send('POST', tasks, body);
    if (status === 201) {
      const [task] = (await ground.rest.does('GET', tasks)).tasks as {
        task_id: string;
        title: string;
        status: string;
      }[];
      expect(task).toMatchObject({ title: 'x', status: 'todo' });
      await ground.rest.does('DELETE', `/api/tasks/${task!.task_id}`);
    } else expect(status).toBe(400);
  });
});

describe('held: two requests in one', () => {
  const hidden = 'GET /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const chunked = `0\r\n\r\n${hidden}`;
  it.each<[string, string[], string]>([
    ['a length and chunks', [`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked'], chunked],
    ['chunks and a length', ['Transfer-Encoding: chunked', `Content-Length: ${chunked.length}`], chunked],
    ['two lengths', ['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden],
    ['a length with a sign', [`Content-Length: +${hidden.length}`], hidden],
    ['chunks by another name', ['Transfer-Encoding: xchunked'], chunked],
    ['chunks with a blank before the colon', ['Transfer-Encoding : chunked'], chunked],
    ['a header in two lines', ['X-A: b', ' Content-Length: 4'], hidden],
    ['a line that ends with LF alone', ['X-A: b\nContent-Length: 0'], hidden],
  ])('%s', async (_, headers, body) => {
    const head = ['POST /api/workers HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json'];
    const answer = await sendBytes(ground.url, ...head, 'Connection: close', ...headers, '', body);
    expect(answer).not.toContain('"projects":');
    expect(answer.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

describe('held', () => {
  it('300 clients that send a byte and wait keep others out', async () => {
    const { hostname, port } = new URL(ground.url);
    const slow = Array.from({ length: 300 }, () => connect(Number(port), hostname));
    const isOpen = (socket: Socket) => new Promise((resolve) => socket.once('connect', resolve));
    await Promise.all(slow.map(isOpen));
    for (const socket of slow) socket.write('POST /api/workers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n');
    expect((await ground.rest.send('GET', '/api/projects')).status).toBe(200);
    slow.forEach((socket) => socket.destroy());
  });

  it('headers of 100 KB', async () => {
    const head = [
      'GET /api/projects HTTP/1.1',
      'Host: 127.0.0.1',
      'Connection: close',
      `X-Long: ${'x'.repeat(100_000)}`,
    ];
    expect(await sendBytes(ground.url, ...head, '', '')).toMatch(/^$|^HTTP\/1\.1 431 /);
  });

  it('an address of 100 KB', async () => {
    const head = [`GET /api/projects?${'x'.repeat(100_000)} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close'];
    expect(await sendBytes(ground.url, ...head, '', '')).toMatch(/^$|^HTTP\/1\.1 431 /);
  });
});

describe('held: SQL in every place that takes text', () => {
  const words = [
    "'; DROP TABLE tasks; --",
    "' OR '1'='1",
    '" OR ""="',
    '1; SELECT pg_sleep(9)',
    "x') UNION SELECT password FROM pg_shadow --",
    "\\'; DELETE FROM audit_log; --",
    '$1',
    '%',
    '$$; DROP TABLE tasks; $$',
    '1e309',
    "x'::uuid",
  ];
  it.each(words)('%s', async (word) => {
    const text = encodeURIComponent(word);
    const answers = await Promise.all([
      ground.rest.send('GET', `/api/tasks/${text}`),
      ground.rest.send('GET', `/api/projects/${text}/tasks`),
      ground.rest.send('GET', `${tasks}?status=${text}`),
      ground.rest.send('GET', `/api/projects?cursor=${text}`),
      ground.rest.send('GET', `/api/approvals?attempt_id=${text}`),
      ground.rest.send('GET', `/api/idempotency-keys/${text}`),
      ground.rest.send('GET', `/api/attempts/${attempt_id}/logs?channel=${text}`),
      ground.rest.send('POST', '/api/workers', { handle: word, name: word, type: 'agent' }),
      ground.rest.send('PATCH', `/api/tasks/${nowhere}/assign`, { assignee_handle: word }),
      ground.rest.send('GET', '/api/projects', undefined, { 'x-user-id': word }),
    ]);
    for (const { status } of answers) expect(status).toBeLessThan(500);
    const [{ tables }] = (await ground.query<{ tables: number }>(
      "SELECT count(*)::int AS tables FROM pg_tables WHERE tablename IN ('tasks', 'audit_log')",
    )) as [{ tables: number }];
    expect(tables).toBe(2);
  });
});
