import type { OpenAPIObject } from '@nestjs/swagger';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { createAjv } from '../../src/platform/fields/input-parser.js';
import { sampleOf } from '../../src/platform/rest/schema-sample.js';
import { operationsOf } from './api-rules.js';
import type { Json } from './mcp-client.js';

/** Properties, at any depth, without a description, type or example, and examples that their own schema refuses. */
export function propertyViolations(document: OpenAPIObject): string[] {
  const ajv = createAjv();
  return Object.entries(document.components!.schemas! as Json).flatMap(([name, schema]) =>
    Object.entries((schema.properties ?? {}) as Json).flatMap(([property, node]) =>
      nodeViolations(ajv, node as Json).map((violation) => `${name}.${property}: ${violation}`),
    ),
  );
}

function nodeViolations(ajv: Ajv2020, node: Json): string[] {
  const isReference = JSON.stringify([node.$ref, node.items, node.allOf, node.anyOf]).includes('#/components');
  const hasExample =
    node.type === 'boolean' ||
    [node.type].flat().includes('null') ||
    ['example', 'default', 'enum'].some((key) => key in node);
  const violations: [boolean, string][] = [
    [!node.description?.trim(), 'no description'],
    [!isReference && !node.type, 'no type'],
    [!isReference && !hasExample, 'no example'],
    [!isReference && 'example' in node && !ajv.validate(node, node.example), 'the example does not fit'],
    ['properties' in node, 'an object without a class'],
  ];
  return violations.filter(([isThere]) => isThere).map(([, text]) => text);
}

/** Bodies that a documentation page would offer to send, and that their own schema refuses. */
export function bodyExampleViolations(document: OpenAPIObject): string[] {
  const ajv = createAjv();
  ajv.addSchema({ $id: 'api', components: document.components as Json });
  return operationsOf(document).flatMap(({ name, spec }) => {
    const content = spec.requestBody?.content?.['application/json'] as Json | undefined;
    if (!content) return [];
    const example = offered(content, (document.components as Json).schemas as Json);
    return ajv.validate(absolute(content.schema as Json), example)
      ? []
      : [`${name}: ${JSON.stringify(example)} ${ajv.errorsText()}`];
  });
}

/** The example that is given, or what documentation pages make of the schema: the examples of its properties. */
export function offered({ examples, schema }: Json, schemas: Json): unknown {
  return examples ? (Object.values(examples as Json)[0] as Json).value : sampleOf(schema as Json, schemas);
}

const absolute = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as Json;
