import { describe, expect, it } from '@jest/globals';
import { decodeMessage, RpcError } from './json-rpc.js';
import { isModern, modernEra } from './modern-era.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const server = { name: 'sample', title: 'Sample', version: '1' };
const request = (method: string, params: object = {}, _meta: object | null = meta) =>
  decodeMessage({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...(_meta ? { _meta } : {}) } });
const headersOf = (method: string, name?: string, version = '2026-07-28') => ({
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

describe('the era of a message', () => {
  it('is recognised by its envelope, or else by its version header', () => {
    expect(isModern(request('tools/list'), {})).toBe(true);
    expect(isModern(request('tools/list', {}, null), { 'mcp-protocol-version': '2026-07-28' })).toBe(true);
    expect(isModern(request('tools/list', {}, null), { 'mcp-protocol-version': '2025-11-25' })).toBe(false);
    expect(isModern(request('server/discover', {}, null), {})).toBe(false);
    expect(isModern(request('initialize', {}, { progressToken: 1 }), {})).toBe(false);
  });
});

describe('admission', () => {
  const admit = (message: ReturnType<typeof request>, headers: object) => () =>
    modernEra.admit(message, headers as Record<string, string>);

  it('takes a request whose headers repeat its body', () => {
    expect(admit(request('tools/list'), headersOf('tools/list'))).not.toThrow();
    expect(
      admit(
        request('tools/call', { name: 'nöte' }),
        headersOf('tools/call', `=?base64?${Buffer.from('nöte').toString('base64')}?=`),
      ),
    ).not.toThrow();
    expect(admit(request('resources/read', { uri: 'x://y' }), headersOf('resources/read', ' x://y '))).not.toThrow();
  });

  it.each<[string, ReturnType<typeof request>, object, number]>([
    ['no envelope', request('tools/list', {}, null), headersOf('tools/list'), -32602],
    [
      'no capabilities',
      request('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }),
      headersOf('tools/list'),
      -32602,
    ],
    ['no version header', request('tools/list'), { 'mcp-method': 'tools/list' }, -32020],
    ['another version in the header', request('tools/list'), headersOf('tools/list', undefined, '2025-11-25'), -32020],
    [
      'a version nobody speaks',
      request('tools/list', {}, { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }),
      headersOf('tools/list', undefined, '2099-01-01'),
      -32022,
    ],
    ['no method header', request('tools/list'), { 'mcp-protocol-version': '2026-07-28' }, -32020],
    ['another method in the header', request('tools/list'), headersOf('TOOLS/LIST'), -32020],
    ['no name header', request('tools/call', { name: 'a' }), headersOf('tools/call'), -32020],
    ['another name in the header', request('prompts/get', { name: 'a' }), headersOf('prompts/get', 'b'), -32020],
    ['a name that is no base64', request('tools/call', { name: 'a' }), headersOf('tools/call', '=?base64?a?='), -32020],
    [
      'a name that is no UTF-8',
      request('tools/call', { name: 'a' }),
      headersOf('tools/call', '=?base64?/w==?='),
      -32020,
    ],
  ])('refuses %s', (_, message, headers, code) => {
    expect(admit(message, headers)).toThrow(expect.objectContaining({ code, status: 400 }));
  });

  it('leaves notifications alone', () => {
    expect(admit(decodeMessage({ jsonrpc: '2.0', method: 'notifications/cancelled' }), {})).not.toThrow();
  });
});

describe('decoration', () => {
  it('says of every result that it is complete and whose it is', () => {
    expect(JSON.parse(modernEra.decorate('tools/call', '{"content":[]}', server))).toEqual({
      content: [],
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': server },
    });
    expect(JSON.parse(modernEra.decorate('completion/complete', '{}', server))).toMatchObject({
      resultType: 'complete',
    });
  });

  it('says of lists how long they may be kept', () => {
    expect(JSON.parse(modernEra.decorate('tools/list', '{"tools":[]}', server))).toMatchObject({
      tools: [],
      ttlMs: 300_000,
      cacheScope: 'private',
    });
  });

  it('knows no resource-not-found and answers an unknown method with 404', () => {
    expect(modernEra.refuse(new RpcError(-32002, 'gone'))).toEqual({ code: -32602, status: 200 });
    expect(modernEra.refuse(new RpcError(-32601, 'gone'))).toEqual({ code: -32601, status: 404 });
    expect(modernEra.methods.has('ping')).toBe(false);
  });
});
