import { commonMethods, type Era, header } from './era.js';
import { RpcError, rpcCodes } from './json-rpc.js';

/** Revisions that begin with `initialize`, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** What agents speak today. The server keeps no session, so `initialize` is informative and nothing depends on it. */
export const legacyEra: Era = {
  // No resource changes while the server runs: a subscription is kept by doing nothing, and is not advertised.
  methods: new Set([...commonMethods, 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']),
  opening: 'initialize',

  open({ protocolVersion }, { instructions }, serverInfo) {
    if (typeof protocolVersion !== 'string')
      throw new RpcError(rpcCodes.invalidParams, 'protocolVersion must be a string.', { supported: legacyVersions });
    return {
      protocolVersion: legacyVersions.includes(protocolVersion) ? protocolVersion : legacyVersions[0],
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      serverInfo,
      instructions,
    };
  },

  admit(message, headers) {
    const version = header(headers, 'mcp-protocol-version');
    if (version === undefined || legacyVersions.includes(version)) return;
    if (message.kind === 'request' && message.method === 'initialize') return;
    throw new RpcError(
      rpcCodes.badTransport,
      `Unsupported protocol version: ${version} (supported: ${legacyVersions.join(', ')})`,
      { supported: legacyVersions, requested: version },
      400,
    );
  },

  decorate: (_, resultJson) => resultJson,
  refuse: ({ code, status }) => ({ code, status }),
};
