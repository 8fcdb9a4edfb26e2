import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rpc, type SampleApp, startSampleApp } from '../../test/support/sample-app.js';
import { inkBook } from '../../test/support/sample-toolset.js';

const BODY_LIMIT = 256 * 1024;
let app: SampleApp;
beforeAll(async () => {
  app = await startSampleApp(BODY_LIMIT);
});
afterAll(() => app.close());
const post: SampleApp['post'] = (...call) => app.post(...call);
function signal(): { given: Promise<void>; give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe('the transport', () => {
  it('answers one message with one JSON body of known length', async () => {
    const { status, headers, body } = await post(rpc('ping'));
    expect({ status, body }).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('content-length')).toBe('36');
  });

  it('accepts notifications and responses with 202 and no body', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 5, result: {} },
    ]) {
      expect(await post(message)).toMatchObject({ status: 202, body: {} });
    }
  });

  it.each([
    ['broken JSON', '{"jsonrpc":'],
    ['an empty body', ''],
    ['a forbidden key', '{"__proto__": {"a": 1}}'],
  ])('refuses %s as a parse error', async (_, text) => {
    expect(await post(text)).toMatchObject({
      status: 400,
      body: { jsonrpc: '2.0', id: null, error: { code: -32700, data: { code: 'malformed_body' } } },
    });
  });

  it('refuses batches, and messages that are none', async () => {
    expect(await post([rpc('ping')])).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
    expect(await post({ id: 1 })).toMatchObject({ status: 400, body: { id: 1, error: { code: -32600 } } });
  });

  it('refuses another content type, and a caller that takes no JSON', async () => {
    expect(await post(rpc('ping'), { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
      body: { error: { data: { code: 'unsupported_media_type' } } },
    });
    expect(await post(rpc('ping'), { headers: { accept: 'text/event-stream' } })).toMatchObject({
      status: 406,
      body: { error: { data: { code: 'not_acceptable' } } },
    });
    for (const accept of ['*/*', 'application/*;q=0.8', 'text/html, application/json;q=0.9'])
      expect(await post(rpc('ping'), { headers: { accept } })).toMatchObject({ status: 200 });
  });

  it('refuses a body beyond the limit with the envelope', async () => {
    expect(await post('x'.repeat(BODY_LIMIT + 1))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', details: { limit_bytes: BODY_LIMIT } },
    });
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH'])('refuses %s and says what is allowed', async (method) => {
    const answer = await fetch(app.url, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it('survives 20 000 levels of nesting, wherever they stand', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    expect(await post(deep)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    expect(await post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":${deep}}}`)).toMatchObject({
      status: 200,
      body: { result: {} },
    });
    const call = await post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_notes","arguments":${deep}}}`,
    );
    expect(call).toMatchObject({
      status: 200,
      body: { result: { isError: true, structuredContent: { code: 'invalid_argument' } } },
    });
  });

  it('goes on with the work of a client that has left', async () => {
    const [entered, released] = [signal(), signal()];
    app.notes.gate = () => {
      entered.give();
      return released.given;
    };
    const abort = new AbortController();
    const left = fetch(app.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal: abort.signal,
      body: JSON.stringify(
        rpc('tools/call', { name: 'write_note', arguments: { action: 'add', book_id: inkBook, text: 'left behind' } }),
      ),
    });
    await entered.given;
    abort.abort();
    await expect(left).rejects.toThrow();
    released.give();
    await post(rpc('ping'));
    expect(app.notes.kept.map((note) => note.text)).toContain('left behind');
  });
});

describe('the methods', () => {
  it('refuse an unknown one in band', async () => {
    expect(await post(rpc('tools/destroy'))).toMatchObject({ status: 200, body: { id: 1, error: { code: -32601 } } });
    expect(await post(rpc('constructor'))).toMatchObject({ body: { error: { code: -32601 } } });
    expect(await post(rpc('server/discover'))).toMatchObject({ status: 200, body: { error: { code: -32601 } } });
  });

  it('refuse malformed params', async () => {
    for (const params of [
      {},
      { name: 7 },
      { name: 'list_notes', arguments: [] },
      { name: 'list_notes', arguments: 'x' },
    ]) {
      expect(await post(rpc('tools/call', params))).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
    }
    expect(await post(rpc('tools/list', { cursor: 'x' }))).toMatchObject({ body: { error: { code: -32602 } } });
    expect(await post(rpc('prompts/get', { name: 'keep_notes' }))).toMatchObject({
      body: { error: { code: -32602, data: { missing: ['book_id'] } } },
    });
    expect(await post(rpc('prompts/get', { name: 'keep_notes', arguments: { book_id: 1 } }))).toMatchObject({
      body: { error: { code: -32602 } },
    });
    expect(await post(rpc('completion/complete', { ref: { type: 'ref/prompt', name: 'keep_notes' } }))).toMatchObject({
      body: { error: { code: -32602 } },
    });
  });

  it('refuse an unknown tool with the names like it', async () => {
    expect(await post(rpc('tools/call', { name: 'ListNote' }))).toMatchObject({
      status: 200,
      body: {
        error: {
          code: -32602,
          message: 'This endpoint has no tool named ListNote.',
          data: { code: 'tool_unknown', retryable: false, hint: expect.stringMatching(/^Call one of list_notes/) },
        },
      },
    });
  });

  it('say why a tool of the toolset is not listed', async () => {
    expect(
      (await post(rpc('tools/call', { name: 'write_note' }), { query: '?readonly=true' })).body.error?.data?.hint,
    ).toContain('?readonly=true');
    expect((await post(rpc('tools/call', { name: 'get_context' }))).body.error?.data?.hint).toContain('?attempt_id=');
  });

  it('answer a failing completion source as an internal error that reveals nothing', async () => {
    const { body } = await post(
      rpc('completion/complete', {
        ref: { type: 'ref/prompt', name: 'keep_notes' },
        argument: { name: 'broken', value: '' },
      }),
    );
    expect(body).toMatchObject({ id: 1, error: { code: -32603, data: { code: 'internal_error' } } });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('embed one text of the payload', async () => {
    const { body } = await post(rpc('tools/call', { name: 'list_notes', arguments: null }));
    expect(body.result?.content).toHaveLength(1);
    expect(JSON.parse(body.result?.content[0].text as string)).toEqual(body.result?.structuredContent);
  });
});

describe('a request for which nobody decided who calls', () => {
  it('is not answered', async () => {
    const open = await startSampleApp(BODY_LIMIT, false);
    try {
      for (const message of [rpc('ping'), rpc('tools/call', { name: 'list_notes' })])
        expect(await open.post(message)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    } finally {
      await open.close();
    }
  });
});
