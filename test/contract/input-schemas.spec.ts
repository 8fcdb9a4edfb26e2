import { describe, expect, it } from '@jest/globals';
import { toolDefinitionOf } from '../../src/mcp/tool.js';
import type { Class } from '../../src/platform/fields/field-node.js';
import { createAjv } from '../../src/platform/fields/input-parser.js';
import { inputSchema, schemaProfiles } from '../../src/platform/fields/schema-profiles.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { declaredClasses } from '../support/declared-classes.js';

const ajv = createAjv();
const ofTools = toolsets.flatMap(({ tools }) => tools.map((tool) => toolDefinitionOf(tool).input));
const inputs = [...new Set([...(await declaredClasses()), ...ofTools])];

/** The server compiles the schemas of its inputs unchecked: this is where they are. */
describe('the schemas of inputs', () => {
  it('are asked of all that are declared', () => expect(inputs.length).toBeGreaterThan(150));

  it.each(inputs.map((type): [string, Class] => [type.name, type]))('keep to the meta-schema: %s', (_, type) => {
    for (const profile of schemaProfiles) {
      const isValid = ajv.validateSchema(inputSchema(type, profile));
      expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
    }
  });
});
