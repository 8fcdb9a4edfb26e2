import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { countable, storableText } from './formats.js';

/** Gemini CLI adds this key to every call; it means nothing here. */
const IGNORED_KEYS = new Set(['wait_for_previous']);
export const isIgnored = (key: string): boolean => IGNORED_KEYS.has(key);

/** Tolerates what is harmless: null on an optional field and an empty id count as absent, spellings and ids become
 *  canonical, unstorable characters are replaced. */
export function normaliseInput(type: Class, raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const fields = fieldsOf(type);
  const cleaned = Object.entries(raw)
    .filter(([key]) => !isIgnored(key))
    .map(([key, value]): [string, unknown] => {
      const node = fields.get(key);
      return [key, node ? normaliseValue(node, value) : value];
    });
  // fromEntries makes even a key "__proto__" an own property, which is then refused like every unknown one.
  return Object.fromEntries(cleaned.filter(([, value]) => value !== undefined));
}

function normaliseValue(node: FieldNode, given: unknown): unknown {
  const value = typeof given === 'string' ? storableText(given) : given;
  if (node.optional && value === null) return node.nullClears ? null : undefined;
  if (node.optional && node.blankIsAbsent && isBlank(value)) return undefined;
  return node.normalise ? node.normalise(value) : normaliseByKind(node, value);
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

function normaliseByKind(node: FieldNode, value: unknown): unknown {
  if (node.kind === 'object') return normaliseInput(node.of!(), value);
  if (node.kind === 'list' && Array.isArray(value))
    return value.map((item) =>
      node.itemNode ? normaliseValue(node.itemNode, item) : normaliseInput(node.of!(), item),
    );
  if (node.kind === 'uuid' && typeof value === 'string') return value.toLowerCase();
  return node.kind === 'int' && Number.isInteger(value) ? countable(value as number) : value;
}

/** The input without the nulls that clear a field, for validators that do not accept null. */
export function withoutNulls(type: Class, input: unknown): unknown {
  if (!isRecord(input)) return input;
  const fields = fieldsOf(type);
  const kept = Object.entries(input).filter(([key, value]) => !(value === null && fields.get(key)?.nullClears));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      fields.get(key)?.kind === 'object' ? withoutNulls(fields.get(key)!.of!(), value) : value,
    ]),
  );
}

/** Whether a field of the class, at any depth, is cleared by null. */
export function hasClearedFields(type: Class): boolean {
  return [...fieldsOf(type).values()].some(
    (node) => node.nullClears || (node.kind === 'object' && hasClearedFields(node.of!())),
  );
}

/** Query strings and path parameters are texts: numbers and booleans in canonical form become what they mean. */
export function coerceTexts(type: Class, raw: Record<string, unknown>): Record<string, unknown> {
  const fields = fieldsOf(type);
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, coerceText(fields.get(key), value)]));
}

function coerceText(node: FieldNode | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || !node || node.kind === 'text') return value;
  if (value === '' && node.optional) return undefined;
  if (node.kind === 'int' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return node.kind === 'bool' && /^(true|false)$/.test(value) ? value === 'true' : value;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
