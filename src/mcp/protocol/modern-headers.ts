import type { IncomingHttpHeaders } from 'node:http';
import { header } from './era.js';
import { RpcError, rpcCodes, type RpcRequest } from './json-rpc.js';

/** Methods whose target is repeated in `Mcp-Name`, so that a proxy can route without reading the body. */
const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** @throws RpcError headerMismatch where the version header is missing or disagrees with the body. */
export function checkVersionHeader(version: string, headers: IncomingHttpHeaders): void {
  agree('MCP-Protocol-Version', header(headers, 'mcp-protocol-version'), version);
}

/** @throws RpcError headerMismatch where a routing header is missing or disagrees with the body. */
export function checkRoutingHeaders(request: RpcRequest, headers: IncomingHttpHeaders): void {
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
