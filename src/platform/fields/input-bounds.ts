/** How large an input may be: in keys, values, levels and characters. */
import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { type FieldError, MAX_REPORTED, named, refusal, unknownField } from './input-errors.js';
import { isIgnored, isRecord } from './normalise.js';

/** Maximum nesting of an input; deeper ones could exhaust the stack. */
const MAX_NESTING = 64;
/** Maximum items of a list, and values of a free record over all levels. */
export const MAX_VALUES = 10_000;

/** Unknown keys: the first few by name, the rest as a count. */
interface UnknownKeys {
  count: number;
  first: FieldError[];
}

/** Refuses floods of keys, values or levels by counting, before anything is copied or transformed, so that later checks
 *  are bounded by the fields of the class. A few unknown keys are refused with the other faults.
 *  @throws AppError invalid_argument */
export function checkOutline(type: Class, input: unknown): void {
  const unknown: UnknownKeys = { count: 0, first: [] };
  countUnknown(type, input, [], unknown);
  if (unknown.count > MAX_REPORTED) throw refusal(unknown.first, undefined, unknown.count);
  if (isNested(input) && nestsDeeperThan(input, MAX_NESTING))
    throw refusal([{ field: 'arguments', message: `arguments nest deeper than ${MAX_NESTING} levels` }]);
}

function countUnknown(type: Class, input: unknown, path: string[], unknown: UnknownKeys): void {
  if (!isRecord(input)) return;
  const fields = fieldsOf(type);
  for (const key of Object.keys(input)) {
    const node = fields.get(key);
    if (node) checkPart(node, input[key], [...path, key], unknown);
    else if (!isIgnored(key) && (unknown.count += 1) <= MAX_REPORTED)
      unknown.first.push(unknownField(type, [...path, key]));
  }
}

function checkPart(node: FieldNode, value: unknown, path: string[], unknown: UnknownKeys): void {
  if (node.kind === 'object' && node.of) countUnknown(node.of(), value, path, unknown);
  if (node.kind === 'record' && hasMoreValuesThan(value, MAX_VALUES))
    throw refusal([named(path, `must hold at most ${MAX_VALUES} values`)]);
  if (node.kind !== 'list' || !Array.isArray(value)) return;
  if (value.length > MAX_VALUES) throw refusal([named(path, `must have at most ${MAX_VALUES} items`)]);
  const item = node.of?.();
  if (item) value.forEach((one, index) => countUnknown(item, one, [...path, String(index)], unknown));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Most arguments are flat and need no walk. */
const isNested = (value: unknown): boolean => isObject(value) && Object.values(value).some(isObject);

/** Whether objects and arrays are nested more than `limit` levels deep. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  const levels = levelsOf(value);
  for (let depth = 0; depth < limit; depth += 1) if (levels.next().done) return false;
  return !levels.next().done;
}

function hasMoreValuesThan(value: unknown, limit: number): boolean {
  let values = 0;
  for (const level of levelsOf(value)) {
    for (const node of level) if ((values += Object.keys(node).length) > limit) return true;
  }
  return false;
}

/** The objects and arrays of each level, breadth first, so that no depth exhausts the stack. */
function* levelsOf(value: unknown): Generator<object[]> {
  for (let level = [value].filter(isObject); level.length > 0;) {
    yield level;
    level = level.flatMap((node) => Object.values(node).filter(isObject));
  }
}

/** Characters of a text whose field names no other maximum. A cap: it is enforced and never published. */
export const MAX_TEXT = 1_048_576;
/** Bytes of a free record as JSON. */
export const MAX_RECORD_BYTES = 262_144;

/** Refuses texts and records that are too long. Runs after the outline check: too deep nesting cannot be written as
 *  JSON. @throws AppError invalid_argument */
export function checkSizes(type: Class, input: unknown, path: string[] = []): void {
  if (!isRecord(input)) return;
  for (const [name, node] of fieldsOf(type))
    if (Object.hasOwn(input, name)) checkSizeOf(node, input[name], [...path, name]);
}

function checkSizeOf(node: FieldNode, value: unknown, path: string[]): void {
  if (node.kind === 'object') checkSizes(node.of!(), value, path);
  else if (node.kind === 'list' && Array.isArray(value))
    value.forEach((item, index) => checkSizeOf(itemOf(node), item, [...path, String(index)]));
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
