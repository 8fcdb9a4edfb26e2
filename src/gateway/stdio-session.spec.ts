import { describe, expect, it } from '@jest/globals';
import { decodeMessage, type RpcRequest } from '../mcp/protocol/json-rpc.js';
import { modernEra } from '../mcp/protocol/modern-era.js';
import { headersFor } from './stdio-session.js';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

describe('the headers of a message without HTTP', () => {
  it.each([
    ['tools/list', {}],
    ['tools/call', { name: 'get_task' }],
    ['tools/call', { name: '  späces =?base64?eA==?= ' }],
    ['tools/call', { name: '' }],
    ['resources/read', { uri: 'taskyard://guide', name: 'another' }],
    ['prompts/get', { name: 'work_on_task' }],
  ])('are those the revision of 2026 asks for: %s %j', (method, params) => {
    const sent = message(method, { ...params, _meta });
    expect(() => modernEra.admit(decodeMessage(sent) as RpcRequest, headersFor(sent))).not.toThrow();
  });

  it.each([
    [null],
    [17],
    [[]],
    [message('tools/list', {})],
    [{ jsonrpc: '2.0', method: 'ping' }],
    [message('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': 1 } })],
  ])('are none for %j', (sent) => {
    expect(headersFor(sent)).toEqual({});
  });
});
