import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rpc, type SampleApp, startSampleApp } from '../../test/support/sample-app.js';
import { boundAttempt } from '../../test/support/sample-toolset.js';

let app: SampleApp;
beforeAll(async () => {
  app = await startSampleApp();
});
afterAll(() => app.close());

const post: SampleApp['post'] = (...call) => app.post(...call);
const toolNames = async (query: string) =>
  ((await post(rpc('tools/list'), { query })).body.result?.tools as { name: string }[]).map((tool) => tool.name);

describe('the query', () => {
  it('selects the view', async () => {
    expect(await toolNames('')).toEqual(['list_notes', 'write_note']);
    expect(await toolNames('?readonly=true')).toEqual(['list_notes']);
    expect(await toolNames(`?attempt_id=${boundAttempt}&readonly=false`)).toEqual([
      'list_notes',
      'write_note',
      'get_context',
    ]);
    const schema = async (profile: string) =>
      Object.keys(
        (await post(rpc('tools/list'), { query: `?schema=${profile}` })).body.result?.tools[1].inputSchema as object,
      );
    expect(await Promise.all(['portable', 'oneof', 'flat'].map(schema))).toEqual([
      expect.arrayContaining(['if', 'then']),
      expect.arrayContaining(['oneOf']),
      ['type', 'properties', 'required', 'additionalProperties'],
    ]);
  });

  it('binds the attempt for every call', async () => {
    const { body } = await post(rpc('tools/call', { name: 'get_context', arguments: {} }), {
      query: `?attempt_id=${boundAttempt}`,
    });
    expect(body.result?.structuredContent).toEqual({ attempt_id: boundAttempt, principal: 'local-owner' });
  });

  it.each([
    ['?attempt_id=17', 400, 'invalid_argument', 'attempt_id must be a UUID'],
    ['?attempt_id=', 400, 'invalid_argument', 'attempt_id must be a UUID'],
    ['?attempt_id=0198c0de-0000-7000-8000-0000000000bb', 404, 'attempt_not_found', 'was not found'],
    ['?readonly=yes', 400, 'invalid_argument', 'readonly must be one of: true, false'],
    ['?readonly=true&readonly=false', 400, 'invalid_argument', 'readonly must be one of: true, false'],
    ['?schema=strict', 400, 'schema_profile_unknown', 'strict'],
    ['?project_id=', 400, 'invalid_argument', 'project_id must be a UUID'],
    [
      '?toolset=all',
      400,
      'invalid_argument',
      'toolset is not a field; known fields: attempt_id, project_id, readonly, schema',
    ],
  ])('is refused as %s with %i %s', async (query, status, code, message) => {
    expect(await post(rpc('ping'), { query })).toMatchObject({
      status,
      body: { code, message: expect.stringContaining(message), hint: expect.any(String) },
    });
  });

  it('lists the known profiles where an unknown one is asked for', async () => {
    expect((await post(rpc('ping'), { query: '?schema=strict' })).body.hint).toContain('portable, oneof, flat');
  });
});

describe('the revision of 2026', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = (method: string, params: { [key: string]: unknown; name?: string; uri?: string } = {}) =>
    post(rpc(method, { ...params, _meta: meta }), {
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...((params.name ?? params.uri) ? { 'mcp-name': (params.name ?? params.uri)! } : {}),
      },
    });

  it('discovers the server', async () => {
    expect(await modern('server/discover')).toMatchObject({
      status: 200,
      body: {
        result: {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
          instructions: expect.stringContaining('The loop:'),
          resultType: 'complete',
          ttlMs: 300_000,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'sample', version: '1.0.0' } },
        },
      },
    });
  });

  it('decorates lists and calls', async () => {
    expect((await modern('tools/list')).body.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 300_000,
      tools: expect.any(Array),
    });
    const call = (await modern('tools/call', { name: 'list_notes' })).body.result;
    expect(call).toMatchObject({ resultType: 'complete', structuredContent: { has_more: false } });
    expect(call).not.toHaveProperty('ttlMs');
  });

  it('answers its own codes and statuses', async () => {
    expect(await modern('ping')).toMatchObject({ status: 404, body: { id: 1, error: { code: -32601 } } });
    expect(await modern('initialize')).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
    expect(await modern('resources/read', { uri: 'taskyard://none' })).toMatchObject({
      status: 200,
      body: { error: { code: -32602, data: { uri: 'taskyard://none' } } },
    });
    expect(await modern('tools/call', { name: 'nope' })).toMatchObject({
      status: 200,
      body: { error: { code: -32602 } },
    });
    expect(
      await post(rpc('tools/list'), { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' } }),
    ).toMatchObject({ status: 400, body: { error: { code: -32602 } } });
  });
});
