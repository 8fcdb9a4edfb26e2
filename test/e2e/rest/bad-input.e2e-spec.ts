import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board, nowhere } from '../../support/board-fixture.js';
import { tokenOf } from '../../support/local-tokens.js';

const board = Board.use({ MAX_BODY_BYTES: '100000' });
let place: string;
beforeAll(async () => {
  place = `/api/projects/${(await board.project()).project_id}/tasks`;
});

describe('bodies over REST', () => {
  it.each([
    ['broken JSON', '{"title": "x"'],
    ['nothing but white space', ' \n'],
    ['two objects', '{"title":"x"}{"title":"y"}'],
    ['bytes that are no text', '\u0000\u0001'],
  ])('are refused when they are %s', async (_, body) => {
    expect(await board.rest.refuses('malformed_body', 'POST', place, body)).toMatchObject({ status: 400 });
  });

  it.each([
    ['a text', '"x"'],
    ['a number', '7'],
    ['null', 'null'],
    ['a list', '[{"title":"x"}]'],
  ])('are refused when they are %s', async (_, body) => {
    expect((await board.rest.send('POST', place, body)).status).toBe(400);
  });

  it('are refused without a content type, and with one that is not JSON', async () => {
    const plain = await board.rest.refuses('unsupported_media_type', 'POST', place, 'title=x', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(plain).toMatchObject({ status: 415, hint: 'Send the body as application/json.' });
    await board.rest.refuses('unsupported_media_type', 'POST', place, '<title/>', { 'content-type': 'text/xml' });
    await board.rest.refuses('unsupported_media_type', 'POST', place, '{}', { 'content-type': 'text/plain' });
  });

  it('are refused when they are too large, with the limit', async () => {
    const refusal = await board.rest.refuses('payload_too_large', 'POST', place, {
      title: 'x',
      description: 'x'.repeat(100_000),
    });
    expect(refusal).toMatchObject({ status: 413, details: { limit_bytes: 100_000 } });
    expect(refusal.hint).toContain('100000');
  });

  it('of 60 MB and 20 000 levels are refused and the server goes on', async () => {
    await board.rest.refuses(
      'payload_too_large',
      'POST',
      place,
      JSON.stringify({ title: 'x'.repeat(60 * 1024 * 1024) }),
    );
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    await board.rest.refuses('invalid_argument', 'POST', place, `{"title":${deep}}`);
    await board.rest.refuses(
      'invalid_argument',
      'POST',
      place,
      `{"title":"x","description":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`,
    );
    await board.rest.answers(200, 'GET', place);
  });

  it('do not reach prototypes', async () => {
    const answer = await board.rest.send(
      'POST',
      place,
      '{"title":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    expect([201, 400]).toContain(answer.status);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('keep text as it is: NUL is refused by name or kept, everything else comes back', async () => {
    const title = '😀 "quoted" \\ <b>&amp;</b> ünïcödé \u200b\u0007 \r\n tab\t';
    const task = await board.rest.answers(201, 'POST', place, { title, description: title.repeat(10) });
    expect(task).toMatchObject({ title: title.trim(), description: title.repeat(10) });
    const withNul = await board.rest.send('POST', place, { title: 'a\u0000b', description: 'c\u0000d' });
    expect(withNul.status).toBeLessThan(500);
  });
});

describe('addresses over REST', () => {
  it.each([
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['PATCH', '/api/projects'],
    ['DELETE', '/api/executors'],
    ['POST', `/api/tasks/${nowhere}`],
  ])('that lead nowhere are refused: %s %s', async (method, path) => {
    const answer = await board.rest.send(method, path);
    expect(answer.body).toMatchObject({ code: 'route_not_found', details: { method, path } });
    expect(answer.status).toBe(404);
  });

  it.each([
    ['an escape', '%zz'],
    ['UTF-8', '%C3%28'],
    ['length', 'x'.repeat(5_000)],
    ['a quote', "1'--"],
    ['NUL', '%00'],
  ])('that are malformed by %s are refused', async (_, id) => {
    const { status, body } = await board.rest.send('GET', `/api/tasks/${id}`);
    expect([400, 404]).toContain(status);
    expect(['invalid_argument', 'route_not_found']).toContain(body.code);
  });

  it.each([
    ['an unknown query key', '?sort=asc', 'sort'],
    ['a key twice', '?limit=1&limit=2', 'limit'],
    ['a nested key', '?limit[a]=1', 'limit[a]'],
    ['a list', '?status[]=todo', 'status[]'],
    ['a huge number', '?limit=99999999999999999999', 'limit'],
    ['an exponent', '?limit=1e2', 'limit'],
  ])('with %s are refused by name', async (_, query, field) => {
    const { details } = await board.rest.refuses('invalid_argument', 'GET', `${place}${query}`);
    expect(details.fields.map((one: { field: string }) => one.field)).toEqual([field]);
  });

  it('with a query on a request that has a body are refused by name too', async () => {
    expect(
      (await board.rest.refuses('invalid_argument', 'POST', `${place}?force=true`, { title: 'x' })).details.fields[0]
        .field,
    ).toBe('force');
  });
});

describe('connections', () => {
  it('that send no HTTP get an answer and are closed', async () => {
    const { hostname, port } = new URL(board.server.url);
    const socket = connect(Number(port), hostname);
    socket.write('\x16\x03\x01 hello\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    socket.resume();
    await once(socket, 'close');
    await board.rest.answers(200, 'GET', place);
  });

  it('that leave in the middle of a body leave nothing behind', async () => {
    const { hostname, port, host } = new URL(board.server.url);
    const before = (await board.rest.answers(200, 'GET', place)).count;
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${place} HTTP/1.1\r\nHost: ${host}\r\n` +
        `Authorization: Bearer ${tokenOf(board.server.url)}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":`,
    );
    await once(socket, 'connect');
    socket.destroy();
    expect((await board.rest.answers(200, 'GET', place)).count).toBe(before);
  });
});
