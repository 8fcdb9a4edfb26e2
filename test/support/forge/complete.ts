/** A JSON schema, as far as it is needed to make up what it asks for. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  nullable?: boolean;
}

/** The value with every field that its schema requires; what is given is left as it is, so that a check of the whole
 *  says whether that is right. @throws Error on a field that the schema does not know */
export function complete(schema: Schema, find: (ref: string) => Schema, given: unknown): unknown {
  const { required, properties, ...plain } = flattened(schema, find);
  if (typeof given !== 'object' || given === null || Array.isArray(given) || Object.keys(properties).length === 0)
    return given === undefined ? anything(plain, properties, required, find) : given;
  const made_up = Object.keys(given).filter((name) => !(name in properties));
  if (made_up.length > 0) throw new Error(`the schema knows no ${made_up.join(', ')}`);
  const names = [...new Set([...required, ...Object.keys(given)])];
  return Object.fromEntries(
    names.map((name) => [name, complete(properties[name] ?? {}, find, (given as Record<string, unknown>)[name])]),
  );
}

type Flat = Schema & { required: string[]; properties: Record<string, Schema> };

function flattened(schema: Schema, find: (ref: string) => Schema): Flat {
  const own = schema.$ref === undefined ? schema : { ...find(schema.$ref), ...schema, $ref: undefined };
  const parts = (own.allOf ?? []).map((part) => flattened(part, find));
  const [choice] = [...(own.anyOf ?? []), ...(own.oneOf ?? [])].filter(({ type }) => type !== 'null');
  if (choice) parts.push(flattened(choice, find));
  return {
    ...Object.assign({}, ...parts.map(({ required: _r, properties: _p, ...rest }) => rest)),
    ...own,
    required: [...new Set([...parts.flatMap(({ required }) => required), ...(own.required ?? [])])],
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), own.properties),
  } as Flat;
}

function anything(
  schema: Schema,
  properties: Record<string, Schema>,
  required: string[],
  find: (ref: string) => Schema,
): unknown {
  const types = [schema.type ?? []].flat();
  if (schema.const !== undefined) return schema.const;
  if (schema.nullable || types.includes('null')) return null;
  if (schema.enum) return schema.enum[0];
  if (types.includes('string')) return textFor(schema.format);
  if (types.includes('integer') || types.includes('number')) return 1;
  if (types.includes('boolean')) return false;
  if (types.includes('array')) return [];
  return Object.fromEntries(required.map((name) => [name, complete(properties[name] ?? {}, find, undefined)]));
}

const textFor = (format?: string): string =>
  format === 'date-time' ? '2026-11-23T00:00:00Z' : format?.startsWith('uri') ? 'https://forge.example/x' : 'x';
