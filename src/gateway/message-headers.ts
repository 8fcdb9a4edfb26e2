import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../platform/fields/normalise.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The headers an HTTP client would send with a message: a pipe has none, and revision 2026-07-28 compares them with
 *  the body. */
export function headersFor(message: unknown): IncomingHttpHeaders {
  const { method, params } = isRecord(message) ? message : {};
  if (typeof method !== 'string' || !isRecord(params)) return {};
  const { _meta, name, uri } = params;
  const version = isRecord(_meta) ? _meta[VERSION_KEY] : undefined;
  if (typeof version !== 'string') return {};
  const target = method === 'resources/read' ? uri : name;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof target === 'string' ? { 'mcp-name': encodeHeader(target) } : {}),
  };
}

/** As for text outside ASCII, so that no text is trimmed or read as an encoding. */
const encodeHeader = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
