import { describe, expect, it } from '@jest/globals';
import { decodeMessage, encodeError, encodeResult, idOf } from './json-rpc.js';

describe('decoding a message', () => {
  it('distinguishes requests, notifications and responses', () => {
    expect(decodeMessage({ jsonrpc: '2.0', id: 'a', method: 'ping' })).toEqual({
      kind: 'request',
      id: 'a',
      method: 'ping',
      params: {},
    });
    expect(decodeMessage({ jsonrpc: '2.0', method: 'notifications/initialized', params: { a: 1 } })).toEqual({
      kind: 'notification',
      method: 'notifications/initialized',
      params: { a: 1 },
    });
    expect(decodeMessage({ jsonrpc: '2.0', id: 1, result: {} })).toEqual({ kind: 'response' });
  });

  it.each<[string, unknown, number]>([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], -32600],
    ['a text', 'ping', -32600],
    ['nothing', undefined, -32600],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32600],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }, -32600],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32600],
    ['an object id', { jsonrpc: '2.0', id: {}, method: 'ping' }, -32600],
    ['params as a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, -32602],
  ])('refuses %s', (_, body, code) => {
    expect(() => decodeMessage(body)).toThrow(expect.objectContaining({ code, status: 400 }));
  });
});

describe('encoding', () => {
  it('keeps the id as it came', () => {
    expect(encodeResult('a"b', '{"x":1}')).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":{"x":1}}');
    expect(encodeResult(0, '{}')).toBe('{"jsonrpc":"2.0","id":0,"result":{}}');
    expect(JSON.parse(encodeError(null, { code: -32700, message: 'no' }))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'no' },
    });
  });

  it('answers with no id where the id is not usable', () => {
    expect([idOf({ id: 3 }), idOf({ id: {} }), idOf([{ id: 3 }]), idOf(null)]).toEqual([3, null, null, null]);
  });
});
