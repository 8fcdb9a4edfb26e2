import { type Class, type FieldKind, type FieldNode, fieldsOf } from './field-node.js';
import { modeNote } from './mode-rules.js';

export type JsonSchema = Record<string, unknown>;

/** `flat` is an input for clients that take no unions, not even with null. */
type Direction = 'input' | 'flat' | 'output';

/** Schema of a class: inline (no $ref), every field described, nullable as a nested anyOf, no caps.
 *  Inputs are closed.
 *  @param isAlone no branches say which fields go together, so the descriptions do */
export function objectSchema(
  type: Class,
  direction: Direction,
  isAlone = true,
): JsonSchema & { properties: JsonSchema; required: string[] } {
  const fields = [...fieldsOf(type)];
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, node]) => [
        name,
        fieldSchema({ ...node, description: node.description + (isAlone ? modeNote(type, name) : '') }, direction),
      ]),
    ),
    required: fields.filter(([, node]) => !node.optional).map(([name]) => name),
    ...(direction === 'output' ? {} : { additionalProperties: false }),
  };
}

function fieldSchema(node: FieldNode, direction: Direction): JsonSchema {
  const schema = valueSchemas[node.kind](node, direction);
  const isNullable = (node.nullable && direction === 'output') || (node.nullClears && direction === 'input');
  if (isNullable) return { description: node.description, anyOf: [schema, { type: 'null' }] };
  return { ...schema, description: node.description };
}

type Render = (node: FieldNode, direction: Direction) => JsonSchema;
type SimpleKind = Exclude<FieldKind, 'record' | 'object' | 'list'>;

/** Values without parts: the same in tool schemas, in the OpenAPI document and as parameters of a route. */
const simpleSchemas: Record<SimpleKind, (node: FieldNode) => JsonSchema & { type: string }> = {
  uuid: () => ({ type: 'string', format: 'uuid' }),
  time: () => ({ type: 'string', format: 'date-time' }),
  text: ({ nonBlank, maxLength }) => ({
    type: 'string',
    ...(nonBlank ? { minLength: 1 } : {}),
    ...(maxLength ? { maxLength } : {}),
  }),
  enum: ({ values = [] }) => ({ type: 'string', enum: [...values] }),
  int: ({ minimum, maximum }) => ({
    type: 'integer',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }),
  number: () => ({ type: 'number' }),
  bool: () => ({ type: 'boolean' }),
};
const isSimple = (kind: FieldKind): kind is SimpleKind => kind in simpleSchemas;

/** Of a parameter of a route: a simple value, or a list of them. */
export const parameterSchema = ({ itemNode, ...node }: FieldNode): JsonSchema & { type: string } =>
  itemNode ? { type: 'array', items: simpleSchema(itemNode) } : simpleSchema(node);

/** @throws Error where the field has parts: no parameter of a route can hold them */
export function simpleSchema(node: FieldNode): JsonSchema & { type: string } {
  if (!isSimple(node.kind)) throw new Error(`${node.kind} has parts: ${node.description}`);
  return simpleSchemas[node.kind](node);
}

const valueSchemas: Record<FieldKind, Render> = {
  ...simpleSchemas,
  text: ({ nonBlank, blankIsAbsent, maxLength }) => ({
    type: 'string',
    ...(nonBlank && !blankIsAbsent ? { pattern: '\\S' } : {}),
    ...(maxLength ? { maxLength } : {}),
  }),
  record: () => ({ type: 'object', properties: {} }),
  object: (node, direction) => objectSchema(node.of!(), direction),
  list: (node, direction) => ({
    type: 'array',
    items: itemSchema(node, direction),
    ...(node.minItems === undefined ? {} : { minItems: node.minItems }),
  }),
};

function itemSchema(node: FieldNode, direction: Direction): JsonSchema {
  const { itemNode } = node;
  return itemNode ? valueSchemas[itemNode.kind](itemNode, direction) : objectSchema(node.of!(), direction);
}
