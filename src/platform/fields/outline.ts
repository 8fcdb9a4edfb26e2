import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { type FieldError, MAX_REPORTED, named, refusal, unknownField } from './input-errors.js';
import { isIgnored, isRecord } from './normalise.js';

/** Levels of objects and arrays that an input may have; checks beyond it could exhaust the stack. */
export const MAX_NESTING = 64;
/** Items of a list, and values of a free record at all its levels together. */
export const MAX_VALUES = 10_000;

/** Keys that the class does not have: the first few in words, the others as a number. */
interface UnknownKeys {
  count: number;
  first: FieldError[];
}

/** Refuses a flood of keys, values or levels by counting alone, before anything is copied, transformed or compared:
 *  the checks that follow cost no more than the class has fields. Fewer unknown keys are refused with the other faults.
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
    if (node) visit(node, input[key], [...path, key], unknown);
    else if (!isIgnored(key) && (unknown.count += 1) <= MAX_REPORTED)
      unknown.first.push(unknownField(type, [...path, key]));
  }
}

function visit(node: FieldNode, value: unknown, path: string[], unknown: UnknownKeys): void {
  if (node.kind === 'object' && node.of) countUnknown(node.of(), value, path, unknown);
  if (node.kind === 'record' && hasMoreValuesThan(value, MAX_VALUES))
    throw refusal([named(path, `must hold at most ${MAX_VALUES} values`)]);
  if (node.kind !== 'list' || !Array.isArray(value)) return;
  if (value.length > MAX_VALUES) throw refusal([named(path, `must have at most ${MAX_VALUES} items`)]);
  const item = node.of?.();
  if (item) value.forEach((one, index) => countUnknown(item, one, [...path, String(index)], unknown));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Most arguments are not, and need no walk. */
const isNested = (value: unknown): boolean => isObject(value) && Object.values(value).some(isObject);

/** Whether objects and arrays stand in each other more than `limit` levels deep. */
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

/** The objects and arrays of each level. Level by level, so that no depth exhausts the stack. */
function* levelsOf(value: unknown): Generator<object[]> {
  for (let level = [value].filter(isObject); level.length > 0;) {
    yield level;
    level = level.flatMap((node) => Object.values(node).filter(isObject));
  }
}
