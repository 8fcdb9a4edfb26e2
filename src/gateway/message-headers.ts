import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../platform/fields/normalise.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The headers an HTTP client would send with a message. A pipe has none, and the revision of 2026 compares them with the body. */
export function headersFor(message: unknown): IncomingHttpHeaders {
  if (!isRecord(message) || !isRecord(message.params) || !isRecord(message.params._meta)) return {};
  const { method } = message;
  const version = message.params._meta[VERSION_KEY];
  if (typeof version !== 'string' || typeof method !== 'string') return {};
  const target = method === 'resources/read' ? message.params.uri : message.params.name;
  return { 'mcp-protocol-version': version, 'mcp-method': method, ...(typeof target === 'string' ? { 'mcp-name': encodeHeader(target) } : {}) };
}

/** As for text outside ASCII, so that no text is trimmed or read as an encoding. */
const encodeHeader = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
