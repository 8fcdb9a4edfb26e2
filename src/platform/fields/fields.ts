import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { addField, type Class, type FieldNode, fieldsOf } from './field-node.js';
import { simpleSchema } from './json-schema.js';
import { TIME_PATTERN, UUID_PATTERN } from './formats.js';
import { isLongerThan, MAX_TEXT } from './input-bounds.js';

type Options = Partial<
  Pick<
    FieldNode,
    'optional' | 'nullable' | 'nullClears' | 'blankIsAbsent' | 'default' | 'example' | 'normalise' | 'redirects'
  >
>;

/** UUID. On inputs an empty string counts as absent. */
export const UuidField = (description: string, options: Options = {}) =>
  field('uuid', description, { blankIsAbsent: true, example: '0198c0de-0000-7000-8000-000000000001', ...options }, [
    Matches(UUID_PATTERN, { message: 'must be a UUID' }),
  ]);

/** Text. `nonBlank` refuses text without a visible character. */
export const TextField = (description: string, options: Options & Pick<FieldNode, 'nonBlank' | 'maxLength'> = {}) =>
  field('text', description, options, [
    IsString(),
    ...(options.nonBlank ? [MinLength(1), Matches(/\S/, { message: 'must not be blank' })] : []),
    atMost(options.maxLength ?? MAX_TEXT),
  ]);

export const EnumField = (description: string, values: readonly string[], options: Options = {}) =>
  field('enum', description, { blankIsAbsent: true, values, ...options }, [IsIn([...values])]);

export const IntField = (description: string, options: Options & Pick<FieldNode, 'minimum' | 'maximum'> = {}) =>
  field('int', description, options, [
    IsInt(),
    ...(options.minimum === undefined ? [] : [Min(options.minimum)]),
    ...(options.maximum === undefined ? [] : [Max(options.maximum)]),
  ]);

/** Number that need not be whole. */
export const NumberField = (description: string, options: Options = {}) =>
  field('number', description, options, [IsNumber()]);

export const BoolField = (description: string, options: Options = {}) =>
  field('bool', description, options, [IsBoolean()]);

/** RFC 3339 time in UTC. */
export const TimeField = (description: string, options: Options = {}) =>
  field('time', description, { example: '2026-11-21T12:00:00.000Z', ...options }, [
    Matches(TIME_PATTERN, { message: 'must be an RFC 3339 time' }),
  ]);

/** JSON object with free keys. */
export const RecordField = (description: string, options: Options = {}) =>
  field('record', description, options, [IsObject()], { type: 'object', additionalProperties: true });

export const ObjectField = (description: string, of: () => Class, options: Options = {}) =>
  field('object', description, { ...options, of }, [IsObject(), ValidateNested(), Type(of)], {
    type: () => of(),
  });

export const ListField = (description: string, of: () => Class, options: Options & Pick<FieldNode, 'minItems'> = {}) =>
  field(
    'list',
    description,
    { ...options, of },
    [IsArray(), IsObject({ each: true }), ValidateNested({ each: true }), Type(of), ...atLeast(options.minItems)],
    { isArray: true, type: () => of(), minItems: options.minItems },
  );

/** An item of a list, which its list describes. */
const itemOf = (kind: FieldNode['kind'], more: Partial<FieldNode> = {}): FieldNode => ({
  kind,
  description: '',
  optional: false,
  nullable: false,
  ...more,
});

export const TextListField = (description: string, options: Options & Pick<FieldNode, 'minItems'> = {}) =>
  field(
    'list',
    description,
    { ...options, itemNode: itemOf('text', { nonBlank: true }) },
    [
      IsArray(),
      IsString({ each: true }),
      Matches(/\S/, { each: true, message: 'must not be blank' }),
      ...atLeast(options.minItems),
    ],
    { type: 'array', items: { type: 'string' }, minItems: options.minItems },
  );

/** List of some of the values. */
export const EnumListField = (
  description: string,
  values: readonly string[],
  options: Options & Pick<FieldNode, 'minItems'> = {},
) =>
  field(
    'list',
    description,
    { ...options, itemNode: itemOf('enum', { values }) },
    [IsArray(), IsIn([...values], { each: true }), ...atLeast(options.minItems)],
    { type: 'array', items: { type: 'string', enum: [...values] }, minItems: options.minItems },
  );

export const UuidListField = (description: string, options: Options & Pick<FieldNode, 'minItems'> = {}) =>
  field(
    'list',
    description,
    { ...options, itemNode: itemOf('uuid') },
    [IsArray(), Matches(UUID_PATTERN, { each: true, message: 'must be a UUID' }), ...atLeast(options.minItems)],
    { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: options.minItems },
  );

/** Counts code points as JSON Schema does; class-validator's own MaxLength counts variation selectors as nothing. */
const atMost = (length: number) =>
  ValidateBy({
    name: 'atMost',
    validator: {
      validate: (value) => typeof value !== 'string' || !isLongerThan(value, length),
      defaultMessage: () => `must have at most ${length} characters`,
    },
  });
const atLeast = (minItems?: number) => (minItems === undefined ? [] : [ArrayMinSize(minItems)]);

/** @param parts how the OpenAPI document shows a field that is no simple value */
function field(
  kind: FieldNode['kind'],
  description: string,
  options: Partial<FieldNode>,
  checks: PropertyDecorator[],
  parts?: Record<string, unknown>,
): PropertyDecorator {
  const node: FieldNode = { optional: false, nullable: false, ...options, kind, description };
  node.shown = Object.fromEntries(
    Object.entries({
      ...(parts ?? simpleSchema(node)),
      description,
      required: !node.optional,
      nullable: node.nullable || node.nullClears || undefined,
      example: node.example ?? node.default, // generated clients demand a field that has a default
    }).filter(([, v]) => v !== undefined),
  );
  return (target, property) => {
    addField(target, property as string, node);
    ApiProperty(node.shown)(target, property);
    for (const check of checks) check(target, property);
    const present = (value: unknown) =>
      !(node.optional && value === undefined) && !((node.nullable || node.nullClears) && value === null);
    ValidateIf((_, value) => present(value))(target, property);
  };
}

/** A class of the same fields, each of which may be absent. */
export function optionalFields<T extends object>(type: Class<T>): new () => Partial<T> {
  class Some {}
  for (const [name, { kind, description, shown, ...node }] of fieldsOf(type)) {
    field(kind, description, { ...node, optional: true }, [], shown)(Some.prototype, name);
  }
  return Some;
}
