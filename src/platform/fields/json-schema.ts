import { type Class, type FieldKind, type FieldNode, fieldsOf } from './field-node.js';
import { modeNote } from './mode-rules.js';

export type JsonSchema = Record<string, unknown>;

/** Schema of a class: inline (no $ref), every field described, nullable as a nested anyOf, no caps.
 *  Inputs are closed. */
export function objectSchema(
  type: Class,
  direction: 'input' | 'output',
): JsonSchema & { properties: JsonSchema; required: string[] } {
  const fields = [...fieldsOf(type)];
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, node]) => [
        name,
        fieldSchema({ ...node, description: node.description + modeNote(type, name) }, direction),
      ]),
    ),
    required: fields.filter(([, node]) => !node.optional).map(([name]) => name),
    ...(direction === 'input' ? { additionalProperties: false } : {}),
  };
}

function fieldSchema(node: FieldNode, direction: 'input' | 'output'): JsonSchema {
  const schema = valueSchemas[node.kind](node, direction);
  if (node.nullable && direction === 'output')
    return { description: node.description, anyOf: [schema, { type: 'null' }] };
  return { ...schema, description: node.description };
}

type Render = (node: FieldNode, direction: 'input' | 'output') => JsonSchema;
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
  int: ({ minimum }) => ({ type: 'integer', ...(minimum === undefined ? {} : { minimum }) }),
  number: () => ({ type: 'number' }),
  bool: () => ({ type: 'boolean' }),
};
const isSimple = (kind: FieldKind): kind is SimpleKind => kind in simpleSchemas;

/** @throws Error where the field has parts: no parameter of a route can hold them */
export function simpleSchema(node: FieldNode): JsonSchema & { type: string } {
  if (!isSimple(node.kind)) throw new Error(`${node.kind} has parts: ${node.description}`);
  return simpleSchemas[node.kind](node);
}

const valueSchemas: Record<FieldKind, Render> = {
  ...simpleSchemas,
  text: (node) => ({ ...simpleSchema(node), ...(node.nonBlank ? { pattern: '\\S' } : {}) }),
  record: () => ({ type: 'object', properties: {} }),
  object: (node, direction) => objectSchema(node.of!(), direction),
  list: (node, direction) => ({
    type: 'array',
    items: itemSchema(node, direction),
    ...(node.minItems === undefined ? {} : { minItems: node.minItems }),
  }),
};

function itemSchema(node: FieldNode, direction: 'input' | 'output'): JsonSchema {
  const { itemNode } = node;
  return itemNode ? valueSchemas[itemNode.kind](itemNode, direction) : objectSchema(node.of!(), direction);
}
