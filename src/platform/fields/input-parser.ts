import type { Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Class } from './field-node.js';
import { TIME_PATTERN, UUID_PATTERN } from './formats.js';
import { refuseFields } from './input-errors.js';
import { inputSchema } from './schema-profiles.js';
import { checkModes } from './mode-check.js';
import { hasClearedFields, normaliseInput, withoutNulls } from './normalise.js';
import { checkOutline } from './outline.js';
import { checkSizes } from './sizes.js';

export function createAjv(options: Options = {}): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    strict: false,
    ownProperties: true,
    formats: { uuid: UUID_PATTERN, 'date-time': TIME_PATTERN },
    ...options,
  });
}
/** One instance for all inputs. Tests hold their schemas against the meta-schema: to compile that here, and to polish
 *  the code of validators, took half the time of theirs at every start. */
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

  parse(raw: unknown): T {
    checkOutline(this.type, raw);
    checkSizes(this.type, raw);
    const input = normaliseInput(this.type, raw);
    if (!this.validate(this.takesNulls ? withoutNulls(this.type, input) : input))
      refuseFields(this.type, this.validate.errors ?? [], input);
    checkModes(this.type, input as Record<string, unknown>);
    return input as T;
  }
}
