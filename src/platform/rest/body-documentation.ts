import { ApiBody, ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { type Class, fieldsOf } from '../fields/field-node.js';
import type { JsonSchema } from '../fields/json-schema.js';
import { type Branch, bodyBranchesOf } from '../fields/schema-profiles.js';
import { modeRulesOf } from '../fields/mode-rules.js';

const classes = new Map<string, Class>();
const unions = new Map<string, JsonSchema>();

/** Bodies that are one of several schemas, by name: no class stands for them. */
export const bodyUnions = (): Record<string, JsonSchema> => Object.fromEntries(unions);

/** Whether the schema is that of a body, which is closed. */
export const isBody = (name: string): boolean => classes.has(name);

/** The input class without the fields given elsewhere; with a schema for each mode, so that generated clients know
 *  which fields go together. */
export function bodyDocumentation(input: Class, settled: string[], example?: object): MethodDecorator[] {
  const fields = [...fieldsOf(input)].filter(([field]) => !settled.includes(field));
  if (fields.length === 0) return [];
  const name = `${input.name.replace(/Input$/, '')}Body`;
  const branches = bodyBranchesOf(input, settled);
  if (branches.length > 0) unions.set(name, unionOf(input, name, branches));
  const models = branches.length > 0 ? branches : [{ title: '', require: [], forbid: [] }];
  return [
    ApiExtraModels(...models.map((branch) => bodyClass(input, settled, branch, schemaName(name, branch)))),
    ApiBody({
      required: branches.length > 0 || fields.some(([, node]) => !node.optional),
      schema: { $ref: getSchemaPath(name) },
      ...(example ? { examples: { example: { value: example } } } : {}),
    }),
  ];
}

/** Discriminated by the mode field if each of its values has one schema; otherwise anyOf. */
function unionOf(input: Class, name: string, branches: readonly Branch[]): JsonSchema {
  const { modes } = modeRulesOf(input);
  const refs = branches.map((branch) => ({ $ref: getSchemaPath(schemaName(name, branch)) }));
  if (modes && Object.keys(modes.table).length !== branches.length) return { anyOf: refs };
  if (!modes) return { oneOf: refs };
  const mapping = Object.fromEntries(branches.map(({ title }, index) => [title, refs[index]!.$ref]));
  return { oneOf: refs, discriminator: { propertyName: modes.field, mapping } };
}

/** FollowUpBodySend, AddMemberBodyByUserId. */
const schemaName = (name: string, { title }: Branch): string =>
  name + title.replace(/(?:^|[ _])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The class without the given and the forbidden fields, under another name. */
function bodyClass(input: Class, settled: readonly string[], branch: Branch, name: string): Class {
  const known = classes.get(name);
  if (known) return known;
  const omitted = [...settled, ...branch.forbid];
  const body: Class = class {};
  const proto = body.prototype as object;
  for (const [field, { shown }] of fieldsOf(input)) if (!omitted.includes(field)) ApiProperty(shown)(proto, field);
  for (const field of branch.require) ApiProperty({ required: true })(proto, field);
  for (const [field, schema] of Object.entries(branch.properties ?? {})) {
    const values = (schema as { enum: string[] }).enum;
    ApiProperty({ enum: values, example: values[0] })(proto, field);
  }
  classes.set(name, Object.defineProperty(body, 'name', { value: name }));
  return body;
}
