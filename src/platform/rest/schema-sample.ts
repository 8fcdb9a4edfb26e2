import type { JsonSchema } from '../fields/json-schema.js';

/** A sample for a schema: its example, or one composed of those of its parts. */
export function sampleOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): unknown {
  const given = [schema.example, schema.default, (schema.enum as unknown[] | undefined)?.[0]];
  const found = given.find((value) => value !== undefined);
  if (found !== undefined) return found;
  if (isNullable(schema)) return null;
  if (schema.type === 'boolean') return false;
  const [first] = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (schema[key] as JsonSchema[] | undefined) ?? []);
  const reference = (schema.$ref ?? first?.$ref) as string | undefined;
  if (reference) return sampleOf(schemas[reference.split('/').at(-1)!]!, schemas);
  if (first) return sampleOf(first, schemas);
  if (schema.type === 'array') return [sampleOf(schema.items as JsonSchema, schemas)];
  if (!schema.properties) return {};
  return Object.fromEntries(
    Object.entries(schema.properties as Record<string, JsonSchema>).map(([key, part]) => [
      key,
      sampleOf(part, schemas),
    ]),
  );
}

const isNullable = ({ type, anyOf = [] }: JsonSchema): boolean =>
  [type, ...(anyOf as JsonSchema[]).map((one) => one.type)].flat().includes('null');
