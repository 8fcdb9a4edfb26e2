import { type Class, type FieldNode, fieldsOf } from './field-node.js';
import { modeNote } from './mode-notes.js';

export type JsonSchema = Record<string, unknown>;

/** Schema of a class: inline (no $ref), every field described, nullable as a nested anyOf, no caps. Inputs are closed. */
export function objectSchema(type: Class, direction: 'input' | 'output'): JsonSchema & { properties: JsonSchema; required: string[] } {
  const fields = [...fieldsOf(type)];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, node]) => [name, fieldSchema({ ...node, description: node.description + modeNote(type, name) }, direction)])),
    required: fields.filter(([, node]) => !node.optional).map(([name]) => name),
    ...(direction === 'input' ? { additionalProperties: false } : {}),
  };
}

function fieldSchema(node: FieldNode, direction: 'input' | 'output'): JsonSchema {
  const schema = valueSchema(node, direction);
  if (node.nullable && direction === 'output') return { description: node.description, anyOf: [schema, { type: 'null' }] };
  return { ...schema, description: node.description };
}

function valueSchema(node: FieldNode, direction: 'input' | 'output'): JsonSchema {
  switch (node.kind) {
    case 'uuid': return { type: 'string', format: 'uuid' };
    case 'time': return { type: 'string', format: 'date-time' };
    case 'text': return { type: 'string', ...(node.nonBlank ? { minLength: 1, pattern: '\\S' } : {}), ...(node.maxLength ? { maxLength: node.maxLength } : {}) };
    case 'enum': return { type: 'string', enum: [...(node.values ?? [])] };
    case 'int': return { type: 'integer', ...(node.minimum === undefined ? {} : { minimum: node.minimum }) };
    case 'bool': return { type: 'boolean' };
    case 'record': return { type: 'object', properties: {} };
    case 'object': return objectSchema(node.of!(), direction);
    case 'list': return { type: 'array', items: itemSchema(node, direction), ...(node.minItems === undefined ? {} : { minItems: node.minItems }) };
  }
}

function itemSchema(node: FieldNode, direction: 'input' | 'output'): JsonSchema {
  return node.itemNode ? fieldSchema(node.itemNode, direction) : objectSchema(node.of!(), direction);
}
