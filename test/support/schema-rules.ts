import { isRecord } from '../../src/platform/fields/normalise.js';
import type { JsonSchema } from '../../src/platform/fields/json-schema.js';

/** What common clients refuse, drop or misread in a schema; each rule stands for one such client. */
export interface SchemaRules {
  /** Keywords that are forbidden everywhere. */
  nowhere: readonly string[];
  /** Keywords that are forbidden at the root. */
  notAtRoot: readonly string[];
}

export const combinators = ['oneOf', 'anyOf', 'allOf', 'not'] as const;
export const conditionals = ['if', 'then', 'else'] as const;
/** Caps are enforced by services, so that raising one changes no schema. */
const never = ['$ref', '$schema', '$defs', 'const', 'maxItems', 'maxProperties'];

/** Every violation of a rule in a schema, with its path. */
export function schemaViolations(schema: JsonSchema, { nowhere, notAtRoot }: SchemaRules): string[] {
  const root = [
    ...(schema.type === 'object' && isRecord(schema.properties) ? [] : ['the root is not an object with properties']),
    ...notAtRoot.filter((keyword) => keyword in schema).map((keyword) => `${keyword} at the root`),
  ];
  return [...root, ...walk(schema, '', [...never, ...nowhere], true)];
}

/** @param shape true where fields are declared, false inside a condition that only narrows them */
function walk(schema: unknown, path: string, banned: readonly string[], shape: boolean): string[] {
  if (!isRecord(schema)) return [`${path || 'root'} is not a schema object`];
  const here = path || 'root';
  const fields = Object.entries(isRecord(schema.properties) ? schema.properties : {});
  return [
    ...banned.filter((keyword) => keyword in schema).map((keyword) => `${here} has ${keyword}`),
    ...(Array.isArray(schema.type) ? [`${here} has a list of types`] : []),
    ...(schema.type === 'array' && !isRecord(schema.items) ? [`${here} is an array without items`] : []),
    ...(shape && schema.type === 'object' && !isRecord(schema.properties)
      ? [`${here} is an object without properties`]
      : []),
    ...fields.flatMap(([name, field]) => [
      ...(shape ? fieldViolations(name, field, `${path}/${name}`) : []),
      ...walk(field, `${path}/${name}`, banned, shape),
    ]),
    ...(schema.items === undefined ? [] : walk(schema.items, `${path}/items`, banned, shape)),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      listOf(schema[keyword]).flatMap((part, index) =>
        walk(part, `${path}/${keyword}/${index}`, banned, shape && keyword === 'anyOf'),
      ),
    ),
    ...['not', ...conditionals]
      .filter((keyword) => keyword in schema)
      .flatMap((keyword) => walk(schema[keyword], `${path}/${keyword}`, banned, false)),
  ];
}

function fieldViolations(name: string, field: unknown, path: string): string[] {
  if (!isRecord(field)) return [];
  const isUuid = [field, ...listOf(field.anyOf)].some((part) => isRecord(part) && part.format === 'uuid');
  return [
    ...(typeof field.description === 'string' && field.description.trim() ? [] : [`${path} has no description`]),
    ...(/_id$/.test(name) && name !== 'request_id' && !isUuid ? [`${path} is not a UUID`] : []),
  ];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
