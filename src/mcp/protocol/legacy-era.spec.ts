import { describe, expect, it } from '@jest/globals';
import { sampleToolset } from '../../../test/support/sample-toolset.js';
import { ToolsetCatalogue } from '../catalogue/toolset-catalogue.js';
import { decodeMessage } from './json-rpc.js';
import { legacyEra } from './legacy-era.js';

const view = new ToolsetCatalogue(sampleToolset).view({ profile: 'portable', readonly: false, bound: false });
const server = { name: 'sample', title: 'Sample', version: '1' };
const request = (method: string) => decodeMessage({ jsonrpc: '2.0', id: 1, method });

describe('the era of initialize', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])('speaks %s', (protocolVersion) => {
    expect(legacyEra.open({ protocolVersion }, view, server)).toMatchObject({
      protocolVersion,
      serverInfo: server,
      instructions: view.instructions,
    });
    expect(() => legacyEra.admit(request('tools/list'), { 'mcp-protocol-version': protocolVersion })).not.toThrow();
  });

  it('answers its newest revision to an unknown one', () => {
    expect(legacyEra.open({ protocolVersion: '1999-01-01' }, view, server)).toMatchObject({
      protocolVersion: '2025-11-25',
    });
    expect(() => legacyEra.open({}, view, server)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  it('refuses an unknown version header, except on initialize', () => {
    const headers = { 'mcp-protocol-version': '1999-01-01' };
    expect(() => legacyEra.admit(request('tools/list'), headers)).toThrow(
      expect.objectContaining({
        code: -32000,
        status: 400,
        data: { supported: expect.arrayContaining(['2025-11-25']), requested: '1999-01-01' },
      }),
    );
    expect(() => legacyEra.admit(request('initialize'), headers)).not.toThrow();
    expect(() => legacyEra.admit(request('tools/list'), {})).not.toThrow();
  });
});
