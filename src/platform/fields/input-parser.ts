import type { Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AppError } from '../errors/app-error.js';
import type { Class } from './field-node.js';
import { TIME_PATTERN, UUID_PATTERN } from './formats.js';
import { checkOutline, checkSizes } from './input-bounds.js';
import { refusal, refuseFields } from './input-errors.js';
import { type ModeRules, modeRulesOf } from './mode-rules.js';
import { hasClearedFields, normaliseInput, unfold, withoutNulls } from './normalise.js';
import { inputSchema } from './schema-profiles.js';

/** The runtime side of the mode table; messages name the field and the mode, not Ajv's list of failed branches. */
export function checkModes(type: Class, input: Record<string, unknown>): void {
  const rules = modeRulesOf(type);
  checkTarget(rules, input);
  checkPaging(rules, input);
  checkMode(rules, input);
}

function checkTarget({ exactlyOne }: ModeRules, input: Record<string, unknown>): void {
  if (!exactlyOne) return;
  const given = exactlyOne.filter((field) => input[field] !== undefined);
  if (given.length === 1) return;
  throw new AppError(
    given.length === 0 ? 'missing_target' : 'ambiguous_target',
    { given, allowed: exactlyOne },
    exactlyOne.includes('attempt_id') ? undefined : 'Pass exactly one of {allowed}.',
  );
}

function checkPaging({ paging }: ModeRules, input: Record<string, unknown>): void {
  if (!paging) return;
  const has = (field?: string) => field !== undefined && input[field] !== undefined;
  if (has(paging.older) && has(paging.newer))
    throw new AppError('mixed_pagination', { given: [paging.older, paging.newer] });
  if (has(paging.withNewer) && !has(paging.newer))
    throw refusal([{ field: paging.withNewer!, message: `${paging.withNewer} only goes with ${paging.newer}` }]);
}

function checkMode({ modes }: ModeRules, input: Record<string, unknown>): void {
  if (!modes) return;
  const mode = String(input[modes.field]);
  const { require = [], forbid = [], instead = {} } = modes.table[mode] ?? {};
  const wrong = [
    ...require
      .filter((field) => [field, ...(instead[field] ?? [])].every((name) => input[name] === undefined))
      .map((field) => ({ field, message: `${field} is required when ${modes.field}=${mode}` })),
    ...forbid
      .filter((field) => input[field] !== undefined)
      .map((field) => ({ field, message: `${field} is not allowed when ${modes.field}=${mode}` })),
  ];
  if (wrong.length) throw refusal(wrong);
}

export function createAjv(options: Options = {}): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    strict: false,
    ownProperties: true,
    formats: { uuid: UUID_PATTERN, 'date-time': TIME_PATTERN },
    ...options,
  });
}
/** One instance for all inputs. Tests check the schemas against the meta-schema; doing it here, and optimising the
 *  validators' code, would double the time they take at every start. */
const ajv = createAjv({ meta: false, validateSchema: false, code: { optimize: false } });

const parsers = new WeakMap<Class, InputParser<object>>();

/** Turns untrusted arguments, of REST and MCP alike, into an input object, or throws the AppError that says how to
 *  correct them. Compiled once a class. */
export class InputParser<T extends object> {
  private readonly validate: ValidateFunction;
  private readonly takesNulls: boolean;

  private constructor(readonly type: Class<T>) {
    this.validate = ajv.compile(inputSchema(type, 'flat'));
    this.takesNulls = hasClearedFields(type);
  }

  static of<T extends object>(type: Class<T>): InputParser<T> {
    const known = parsers.get(type) ?? new InputParser(type);
    parsers.set(type, known);
    return known as InputParser<T>;
  }

  parse(given: unknown): T {
    const raw = unfold(this.type, given);
    checkOutline(this.type, raw);
    checkSizes(this.type, raw);
    const input = normaliseInput(this.type, raw);
    if (!this.validate(this.takesNulls ? withoutNulls(this.type, input) : input))
      refuseFields(this.type, this.validate.errors ?? [], input);
    checkModes(this.type, input as Record<string, unknown>);
    return input as T;
  }
}
