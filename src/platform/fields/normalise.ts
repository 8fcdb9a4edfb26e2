import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { countable, storableText } from './formats.js';

/** Gemini CLI adds this key to every call; it means nothing here. */
const IGNORED_KEYS = new Set(['wait_for_previous']);
export const isIgnored = (key: string): boolean => IGNORED_KEYS.has(key);

/** Tolerates what is harmless: null on an optional field and an empty id count as absent, spellings and ids become
 *  canonical, unstorable characters are replaced, and a text in the place of something else is read where only one
 *  reading exists. Published schemas say none of that. */
export function normaliseInput(type: Class, given: unknown): unknown {
  const raw = unfold(type, given);
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
  const value = typeof given === 'string' ? readText(node, storableText(given)) : given;
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
  return node.kind === 'int' && Number.isInteger(value) ? countable(value as number) : value;
}

/** How a text is read in the place of something else; undefined where it means nothing, or more than one thing. */
const readers: Partial<Record<FieldNode['kind'], (word: string, node: FieldNode) => unknown>> = {
  uuid: (word) => (WRAPPED_ID.exec(word)?.[1] ?? word).toLowerCase(),
  enum: (word, { values }) => values!.find((value) => simplified(value) === simplified(word)),
  bool: (word) => (/^(true|false)$/i.test(word) ? word.toLowerCase() === 'true' : undefined),
  int: (word) => (/^-?\d{1,15}$/.test(word) ? Number(word) : undefined),
  number: (word) => (/^-?\d{1,15}$/.test(word) ? Number(word) : undefined),
  time: (word) => word,
};

function readText(node: FieldNode, text: string): unknown {
  if (node.optional && BLANK_IS_ABSENT.includes(node.kind) && isBlank(text)) return undefined;
  return readers[node.kind]?.(text.trim(), node) ?? text;
}

/** As in a query string. */
const BLANK_IS_ABSENT: readonly FieldNode['kind'][] = ['bool', 'int', 'number'];
/** An id in quotes, brackets or the like. */
const WRAPPED_ID = /^[^\w]*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[^\w]*$/i;
/** Words are the same whatever their case and whatever joins their parts. */
const simplified = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, '');

/** Objects and lists that came as JSON text, and single items in the place of a list, as what they stand for. */
export function unfold(type: Class, raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const folded = [...fieldsOf(type)].filter(
    ([name, node]) => FOLDABLE.includes(node.kind) && Object.hasOwn(raw, name) && isFolded(node, raw[name]),
  );
  if (folded.length === 0) return raw;
  return { ...raw, ...Object.fromEntries(folded.map(([name, node]) => [name, unfoldValue(node, raw[name])])) };
}

const FOLDABLE: readonly FieldNode['kind'][] = ['list', 'object', 'record'];
function isFolded({ kind, of }: FieldNode, value: unknown): boolean {
  if (kind !== 'list' || typeof value === 'string') return typeof value === 'string';
  return Array.isArray(value) ? of !== undefined && value.some((item) => typeof item === 'string') : isRecord(value);
}

function unfoldValue(node: FieldNode, value: unknown): unknown {
  const read = typeof value === 'string' ? (readJson(value) ?? value) : value;
  if (node.kind !== 'list') return isRecord(read) ? read : value;
  if (Array.isArray(read)) return read.map((item) => unfoldItem(node, item));
  return read === '' ? read : [unfoldItem(node, read)];
}

/** A text for an object of which nothing but that text is required. */
function unfoldItem({ of }: FieldNode, item: unknown): unknown {
  const required = of && [...fieldsOf(of())].filter(([, { optional }]) => !optional);
  return typeof item === 'string' && required?.length === 1 ? { [required[0]![0]]: item } : item;
}

/** A longer text is no argument that a client wrote as text by mistake. */
const MAX_FOLDED = 262_144;
function readJson(text: string): unknown {
  if (text.length > MAX_FOLDED || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is a text
  }
}

/** The input without the nulls that clear a field, for validators that do not accept null. */
export function withoutNulls(type: Class, input: unknown): unknown {
  if (!isRecord(input)) return input;
  const fields = fieldsOf(type);
  const kept = Object.entries(input).filter(([key, value]) => !(value === null && fields.get(key)?.nullClears));
  return Object.fromEntries(kept.map(([key, value]) => [key, insideWithoutNulls(fields.get(key), value)]));
}

function insideWithoutNulls(node: FieldNode | undefined, value: unknown): unknown {
  if (!node?.of) return value;
  return Array.isArray(value) ? value.map((item) => withoutNulls(node.of!(), item)) : withoutNulls(node.of(), value);
}

/** Whether a field of the class, at any depth, is cleared by null. */
export function hasClearedFields(type: Class): boolean {
  return [...fieldsOf(type).values()].some((node) => node.nullClears || (node.of && hasClearedFields(node.of())));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
