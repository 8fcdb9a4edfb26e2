import type { AppError } from '../platform/errors/app-error.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { isRecord } from '../platform/fields/normalise.js';

type Arguments = Record<string, unknown>;

/** Which id each of these says is nowhere. */
const missing: Partial<Record<ErrorCode, string>> = {
  project_not_found: 'project_id',
  task_not_found: 'task_id',
  attempt_not_found: 'attempt_id',
  session_not_found: 'session_id',
  repo_not_found: 'repo_id',
  repo_not_in_project: 'repo_id',
};

/** What was given for an id and is none, or none of its kind. */
export function refusedId(refused: AppError, args: unknown): { field: string; value: string } | null {
  const field = missing[refused.code];
  if (field === undefined) return malformedId(refused, args);
  const value = refused.details[field];
  return typeof value === 'string' ? { field, value } : null;
}

function malformedId({ code, details }: AppError, args: unknown): { field: string; value: string } | null {
  if (code !== 'invalid_argument') return null;
  const fields = details.fields as { field: string; message: string }[];
  const wrong = fields.find(({ message }) => message.endsWith('must be a UUID'));
  const path = wrong?.field.split('.') ?? [];
  const value = path.reduce<unknown>((part, key) => (part as Arguments | undefined)?.[key], args);
  const name = path.findLast((part) => /_ids?$/.test(part));
  return name && typeof value === 'string' ? { field: name.replace(/s$/, ''), value } : null;
}

/** No argument has ids at a deeper level; what a caller sends may have any number of levels. */
const DEEPEST = 8;

/** Every text that stands directly, or in a list, under one of the names. */
export function textsAt(value: unknown, names: readonly string[], isNamed = false, depth = DEEPEST): string[] {
  if (typeof value === 'string') return isNamed ? [value] : [];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsAt(item, names, isNamed, depth - 1));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => textsAt(part, names, names.includes(name), depth - 1));
}

/** The arguments with one value in the place of another, everywhere, or only under the names. */
export const replaced = (args: Arguments, from: string, to: string, names?: readonly string[]): Arguments =>
  replacedIn(args, (text, name) => (text === from && (names?.includes(name) ?? true) ? to : text), '') as Arguments;

/** @param name under which the value stands, or the list that it is in */
function replacedIn(
  value: unknown,
  put: (text: string, name: string) => string,
  name: string,
  depth = DEEPEST,
): unknown {
  if (typeof value === 'string') return put(value, name);
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => replacedIn(item, put, name, depth - 1));
  if (!isRecord(value)) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, replacedIn(part, put, key, depth - 1)] as const);
  return Object.fromEntries(parts);
}
