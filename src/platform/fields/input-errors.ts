import type { ErrorObject } from 'ajv';
import { AppError } from '../errors/app-error.js';
import { answeredAs, idSources } from '../errors/operations.js';
import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { isRecord } from './normalise.js';

export interface FieldError {
  field: string;
  message: string;
}
/** Wrong fields that a refusal names; the others are only counted. */
export const MAX_REPORTED = 20;
/** Characters of a name or message: both repeat what the caller sent. */
const MAX_TEXT = 300;

/** @param count of the wrong fields, where `fields` holds only the first of them */
export function refusal(fields: FieldError[], hint?: string, count = fields.length): AppError {
  const reported = fields.slice(0, MAX_REPORTED);
  const more = count - reported.length;
  const messages = [...reported.map((error) => error.message), ...(more > 0 ? [`and ${more} more`] : [])];
  return new AppError(
    'invalid_argument',
    { summary: messages.join('; '), fields: reported, more: more > 0 ? more : undefined },
    hint,
  );
}

/** Ajv's errors as one refusal that names each field once, unknown fields first. */
export function refuseFields(type: Class, errors: ErrorObject[], input: unknown): never {
  const isField = ({ keyword }: ErrorObject) => Number(keyword !== 'additionalProperties');
  const inOrder = [...errors].sort((one, other) => isField(one) - isField(other));
  const fields = new Map(inOrder.map((error) => toFieldError(type, error)).map((error) => [error.field, error]));
  const ill = errors
    .filter(({ keyword }) => keyword === 'format' || keyword === 'required')
    .map((error) => toFieldError(type, error).field);
  throw refusal([...fields.values()], hintFor(type, input, ill));
}

function toFieldError(type: Class, error: ErrorObject): FieldError {
  const path = error.instancePath.split('/').slice(1).map(unescape);
  if (error.keyword === 'required')
    return missingField(typeAt(type, path), [...path, String(error.params.missingProperty)]);
  if (error.keyword === 'additionalProperties')
    return unknownField(typeAt(type, path), [...path, String(error.params.additionalProperty)]);
  if (path.length === 0) return { field: 'arguments', message: 'arguments must be a JSON object' };
  return named(path, wording(error));
}

/** @param type of the object that holds the key, the last part of the path */
export const unknownField = (type: Class, path: string[]): FieldError =>
  named(path, `is not a field; known fields: ${[...fieldsOf(type).keys()].join(', ') || 'none'}`);

/** With its shape, unless that is plain text or an id, about which the hint says more. */
function missingField(type: Class, path: string[]): FieldError {
  const node = fieldsOf(type).get(path.at(-1)!);
  return named(path, `is required${node ? shapeOf(node) : ''}`);
}

function shapeOf({ kind, values, of, itemNode }: FieldNode): string {
  if (kind === 'enum') return `: one of ${values!.join(', ')}`;
  if (kind === 'int' || kind === 'number') return ': a number';
  if (kind === 'object') return `: an object of ${[...fieldsOf(of!()).keys()].join(', ')}`;
  return kind === 'list' ? `: a list of ${itemNode ? 'texts' : 'objects'}` : '';
}

/** Class of the object a path leads to. */
const typeAt = (type: Class, path: string[]): Class =>
  path.reduce((current, part) => fieldsOf(current).get(part)?.of?.() ?? current, type);

export const named = (path: string[], text: string): FieldError => ({
  field: path.join('.').slice(0, MAX_TEXT),
  message: `${path.join('.')} ${text}`.slice(0, MAX_TEXT),
});
const unescape = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

function wording(error: ErrorObject): string {
  switch (error.keyword) {
    case 'format':
      return error.params.format === 'uuid' ? 'must be a UUID' : 'must be an RFC 3339 time';
    case 'enum':
      return `must be one of: ${(error.params.allowedValues as string[]).join(', ')}`;
    case 'pattern':
      return 'must not be blank';
    case 'maxLength':
      return `must have at most ${String(error.params.limit)} characters`;
    case 'minLength':
      return 'must not be empty';
    case 'minItems':
      return `must have at least ${String(error.params.limit)} item`;
    default:
      return error.message ?? 'is not valid';
  }
}

/** A better hint than the catalogue's: another operation was meant, or an id is missing or malformed.
 *  @param ill fields whose value is no id, or missing */
function hintFor(type: Class, input: unknown, ill: string[]): string | undefined {
  const redirect = redirectOf(type, input);
  if (redirect) return redirect;
  const id = ill.map((name) => name.split('.').findLast((part) => Object.hasOwn(idSources, part))).find(Boolean);
  if (id === undefined) return undefined;
  const answered = answeredAs[id];
  const values = answered ? `${answered} values as ${id}` : `${id} values`;
  return `Call {next:${idSources[id]}} and use one of its ${values}.`;
}

function redirectOf(type: Class, input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const match = ([name, { redirects }]: [string, FieldNode]) => {
    const value = input[name];
    return typeof value === 'string' ? redirects?.[value.toLowerCase()] : undefined;
  };
  return [...fieldsOf(type)].map(match).find(Boolean);
}
