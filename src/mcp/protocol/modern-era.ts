import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../../platform/fields/normalise.js';
import { commonMethods, type Era, header } from './era.js';
import { RpcError, rpcCodes, type RpcMessage, type RpcRequest } from './json-rpc.js';

const OLDEST = '2026-07-28';
export const modernVersions = [OLDEST];
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

/** Results that a client may keep; they change only with a release, and hold nothing of a caller. */
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);
const CACHE_TTL_MS = 300_000;

/** The stateless revision: every request carries its version and capabilities, every result says what it is. */
export const modernEra: Era = {
  methods: new Set(commonMethods),
  opening: 'server/discover',

  open: (_, { instructions }) => ({
    supportedVersions: modernVersions,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    instructions,
  }),

  admit(message, headers) {
    if (message.kind !== 'request') return;
    const version = admittedVersion(message.params._meta);
    checkVersionHeader(version, headers);
    if (!modernVersions.includes(version)) {
      throw new RpcError(
        rpcCodes.unsupportedVersion,
        `Unsupported protocol version: ${version}`,
        { supported: modernVersions, requested: version },
        400,
      );
    }
    checkRoutingHeaders(message, headers);
  },

  decorate(method, resultJson, server) {
    const caching = cacheable.has(method) ? `,"ttlMs":${CACHE_TTL_MS},"cacheScope":"private"` : '';
    const separator = resultJson === '{}' ? '' : ',';
    const meta = `"_meta":{"${SERVER_KEY}":${JSON.stringify(server)}}`;
    return `${resultJson.slice(0, -1)}${separator}"resultType":"complete"${caching},${meta}}`;
  },

  refuse({ code, status }) {
    if (code === rpcCodes.methodNotFound) return { code, status: 404 };
    return { code: code === rpcCodes.resourceNotFound ? rpcCodes.invalidParams : code, status };
  },
};

/** True where a message claims a revision of this era, by its envelope or else by its header. */
export function isModern(message: RpcMessage, headers: IncomingHttpHeaders): boolean {
  if (message.kind === 'response') return false;
  const meta = message.params._meta;
  if (isRecord(meta) && VERSION_KEY in meta) return true;
  const version = header(headers, 'mcp-protocol-version') ?? '';
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= OLDEST;
}

/** The version the envelope names. @throws RpcError invalidParams that names the missing keys. */
function admittedVersion(meta: unknown): string {
  const envelope = isRecord(meta) ? meta : {};
  const version = envelope[VERSION_KEY];
  const wrong = [
    ...(typeof version === 'string' ? [] : [VERSION_KEY]),
    ...(isRecord(envelope[CAPABILITIES_KEY]) ? [] : [CAPABILITIES_KEY]),
  ];
  if (wrong.length)
    throw new RpcError(
      rpcCodes.invalidParams,
      `params._meta must hold ${wrong.join(' and ')}.`,
      { missing: wrong },
      400,
    );
  return version as string;
}

/** Methods whose target is repeated in `Mcp-Name`, so that a proxy can route without reading the body. */
const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** @throws RpcError headerMismatch where the version header is missing or disagrees with the body. */
function checkVersionHeader(version: string, headers: IncomingHttpHeaders): void {
  agree('MCP-Protocol-Version', header(headers, 'mcp-protocol-version'), version);
}

/** @throws RpcError headerMismatch where a routing header is missing or disagrees with the body. */
function checkRoutingHeaders(request: RpcRequest, headers: IncomingHttpHeaders): void {
  agree('Mcp-Method', header(headers, 'mcp-method'), request.method);
  const source = Object.hasOwn(nameSources, request.method) ? nameSources[request.method] : undefined;
  const target = source && request.params[source];
  if (typeof target === 'string') agree('Mcp-Name', decodeHeader(header(headers, 'mcp-name')), target);
}

function agree(name: string, given: string | undefined, expected: string): void {
  if (given === expected) return;
  const problem =
    given === undefined ? `the header ${name} is missing or not decodable` : `the header ${name} is "${given}"`;
  throw new RpcError(
    rpcCodes.headerMismatch,
    `Headers and body disagree: ${problem}, the body says "${expected}".`,
    { header: name, given: given ?? null, expected },
    400,
  );
}

/** Header values outside ASCII come as `=?base64?…?=` around UTF-8. @returns undefined where that cannot be decoded */
function decodeHeader(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // no UTF-8: refused like a header that is missing
  }
}
