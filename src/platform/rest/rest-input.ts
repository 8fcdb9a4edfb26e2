import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { AppError } from '../errors/app-error.js';
import { type Class, fieldsOf } from '../fields/field-node.js';
import { type FieldError, hintFor, refusal } from '../fields/input-errors.js';
import { InputParser } from '../fields/input-parser.js';
import { hasModeRules } from '../fields/mode-rules.js';
import { MAX_NESTING, nestsDeeperThan } from '../fields/nesting.js';
import { coerceTexts, isRecord, normaliseInput } from '../fields/normalise.js';

const UNKNOWN = 'is not a field';

/** Path parameters, query or body, and the Idempotency-Key header as one input object.
 *  @throws AppError invalid_argument and the codes of mode rules */
export function readRestInput<T extends object>(type: Class<T>, request: FastifyRequest): T {
  const raw = collect(type, request);
  return hasModeRules(type) ? InputParser.of(type).parse(raw) : validateWithClass(type, raw);
}

function collect(type: Class, request: FastifyRequest): Record<string, unknown> {
  const params = coerceTexts(type, request.params as Record<string, unknown>);
  const query = coerceTexts(type, request.query as Record<string, unknown>);
  const body = request.body ?? {};
  if (!isRecord(body)) throw refusal([{ field: 'body', message: 'body must be a JSON object' }]);
  if (nestsDeeperThan(body, MAX_NESTING))
    throw refusal([{ field: 'body', message: `body nests deeper than ${MAX_NESTING} levels` }]);
  const fromPath = Object.keys(params).filter((key) => key in body || key in query);
  if (fromPath.length) throw refusal(fromPath.map((field) => ({ field, message: `${field} is given by the path` })));
  return { ...query, ...body, ...keyOf(type, request, body), ...params };
}

/** The header is `request_id` where there is such a field. */
function keyOf(type: Class, { headers }: FastifyRequest, body: Record<string, unknown>): { request_id?: unknown } {
  const key = headers['idempotency-key'];
  if (key === undefined || !fieldsOf(type).has('request_id')) return {};
  if (body.request_id && body.request_id !== key)
    throw refusal(
      [{ field: 'request_id', message: 'request_id differs from the header Idempotency-Key' }],
      'Send the key once, in the header or as request_id.',
    );
  return { request_id: key };
}

function validateWithClass<T extends object>(type: Class<T>, raw: Record<string, unknown>): T {
  const input = normaliseInput(type, raw) as object;
  const instance = plainToInstance(type as new () => T, input);
  const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  if (errors.length) throw refuse(type, input, errors);
  return input as T;
}

function refuse(type: Class, input: object, errors: ValidationError[]): AppError {
  const fields = errors.flatMap((error) => toFieldErrors(error, ''));
  return refusal(
    fields,
    hintFor(
      type,
      input,
      fields.filter(({ message }) => !message.endsWith(UNKNOWN)).map(({ field }) => field),
    ),
  );
}

function toFieldErrors(error: ValidationError, parent: string): FieldError[] {
  const field = parent + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, text]) => ({
    field,
    message: wording(rule, text, field),
  }));
  return [...own.slice(0, 1), ...(error.children ?? []).flatMap((child) => toFieldErrors(child, `${field}.`))];
}

function wording(rule: string, text: string, field: string): string {
  if (rule === 'whitelistValidation') return `${field} ${UNKNOWN}`;
  return text.startsWith('must') ? `${field} ${text}` : text;
}
