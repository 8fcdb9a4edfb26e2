import { asOwner } from './local-tokens.js';
import type { Json } from './mcp-client.js';

export interface RpcAnswer {
  status: number;
  text: string;
  headers: Headers;
}

const MODERN = '2026-07-28';
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One message of the `initialize` era, as text and back. */
export function sendLegacy(
  url: string,
  method: string,
  params: Json = {},
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  return send(url, { jsonrpc: '2.0', id: 1, method, params }, headers);
}

/** One message of the revision of 2026, with the headers it asks for. */
export function sendModern(
  url: string,
  method: string,
  params: Json = {},
  more: Record<string, string> = {},
): Promise<RpcAnswer> {
  const target = (params.name ?? params.uri) as string | undefined;
  const headers = {
    ...more,
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(target ? { 'mcp-name': target } : {}),
  };
  return send(url, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }, headers);
}

async function send(url: string, message: object, headers: Record<string, string>): Promise<RpcAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: asOwner(url, {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    }),
    body: JSON.stringify(message),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}
