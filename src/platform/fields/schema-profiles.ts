import type { Class } from './field-node.js';
import { type JsonSchema, objectSchema } from './json-schema.js';
import { branchesOf } from './mode-branches.js';
import { modeRulesOf } from './mode-rules.js';

/** How a union is published: `portable` hides it behind if/then, `oneof` shows it at the root,
 *  `flat` leaves it to the descriptions. */
export const schemaProfiles = ['portable', 'oneof', 'flat'] as const;
export type SchemaProfile = (typeof schemaProfiles)[number];

export function inputSchema(type: Class, profile: SchemaProfile): JsonSchema {
  const base = objectSchema(type, 'input');
  const branches = branchesOf(type);
  if (branches.length === 0 || profile === 'flat') return base;
  if (profile === 'oneof') return { ...base, oneOf: branches };
  const mode = modeRulesOf(type).modes?.field;
  return { ...base, if: mode ? { required: [mode] } : { type: 'object' }, then: { oneOf: branches } };
}

/** Root object without combinators. A refusal in structuredContent must not break strict clients, so the success
 *  fields are only required where the keys of the error envelope are absent. */
export function outputSchema(type: Class, envelope: Class): JsonSchema {
  const { properties, required } = objectSchema(type, 'output');
  const error = objectSchema(envelope, 'output');
  return {
    type: 'object',
    properties: { ...error.properties, ...properties },
    if: { required: ['code', 'retryable', 'hint'] },
    else: { required },
  };
}
