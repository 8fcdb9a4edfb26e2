import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { named, refusal } from './input-errors.js';
import { isRecord } from './normalise.js';

/** Characters of a text whose field names no other maximum. A cap: it is enforced and never published. */
export const MAX_TEXT = 1_048_576;
/** Bytes of a free record as JSON. */
export const MAX_RECORD_BYTES = 262_144;

/** Refuses texts and records that are too long. Comes behind the outline: what nests too deep cannot be written as
 *  JSON. @throws AppError invalid_argument */
export function checkSizes(type: Class, input: unknown, path: string[] = []): void {
  if (!isRecord(input)) return;
  for (const [name, node] of fieldsOf(type)) if (Object.hasOwn(input, name)) visit(node, input[name], [...path, name]);
}

function visit(node: FieldNode, value: unknown, path: string[]): void {
  if (node.kind === 'object') checkSizes(node.of!(), value, path);
  else if (node.kind === 'list' && Array.isArray(value))
    value.forEach((item, index) => visit(itemOf(node), item, [...path, String(index)]));
  else if (typeof value === 'string' && isLongerThan(value, MAX_TEXT))
    throw refusal([named(path, `must have at most ${MAX_TEXT} characters`)]);
  else if (node.kind === 'record' && isRecord(value) && Buffer.byteLength(JSON.stringify(value)) > MAX_RECORD_BYTES)
    throw refusal([named(path, `must have at most ${MAX_RECORD_BYTES} bytes as JSON`)]);
}

const itemOf = (node: FieldNode): FieldNode => node.itemNode ?? { ...node, kind: 'object' };

/** @param limit in code points, as JSON Schema counts */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || codePoints(text) > limit;
}

function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count += 1) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
}
