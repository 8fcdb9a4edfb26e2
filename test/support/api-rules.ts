import type { OpenAPIObject } from '@nestjs/swagger';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { errorCatalogue, type ErrorCode } from '../../src/platform/errors/error-catalogue.js';
import { createAjv } from '../../src/platform/fields/input-parser.js';
import type { Json } from './mcp-client.js';

/** What every route under /api may answer, whatever it does. */
const everywhere = ['400', '401', '403', '429', '500', '503'];
const streams = ['text/event-stream', 'text/plain'];

export interface Operation { name: string; path: string; method: string; spec: Json }

export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods as Json).map(([method, spec]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, spec: spec as Json })));
}

/** What a route leaves out: summary, group, output type, parameters, refusals. */
export function routeViolations(document: OpenAPIObject): string[] {
  const operations = operationsOf(document);
  const described = (document.tags ?? []).map(({ name }) => name);
  const used = operations.flatMap(({ spec }) => (spec.tags ?? []) as string[]);
  const ids = operations.map(({ spec }) => spec.operationId as string);
  return [
    ...[...described.filter((tag) => !used.includes(tag)), ...used.filter((tag) => !described.includes(tag))].map((tag) => `${tag}: a tag that is not both described and used`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: the operation id is used twice`),
    ...operations.flatMap((operation) => [
      ...(/^[A-Z].*\.$/.test(operation.spec.summary ?? '') ? [] : ['no summary that is a sentence']),
      ...(operation.spec.tags?.length === 1 ? [] : ['not exactly one tag']),
      ...outputViolations(operation),
      ...parameterViolations(operation),
      ...(operation.path.startsWith('/api/') ? refusalViolations(operation) : []),
    ].map((violation) => `${operation.name}: ${violation}`)),
  ];
}

function outputViolations({ spec }: Operation): string[] {
  const successes = Object.entries(spec.responses as Json).filter(([status]) => status.startsWith('2'));
  if (successes.length !== 1) return ['not exactly one success'];
  const content = (successes[0][1].content ?? {}) as Json;
  const [type] = Object.keys(content);
  return streams.includes(type) || content['application/json']?.schema?.$ref ? [] : ['no output type'];
}

function parameterViolations({ path, method, spec }: Operation): string[] {
  const parameters = (spec.parameters ?? []) as Json[];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    ...inPath.filter((name) => !parameters.some((one) => one.in === 'path' && one.name === name)).map((name) => `${name} is not documented`),
    ...parameters.filter((one) => !one.description || !one.schema).map((one) => `${one.name} has no description or schema`),
    ...(spec.requestBody && !['post', 'put', 'patch'].includes(method) ? [`${method} has a body`] : []),
  ];
}

function refusalViolations({ path, spec }: Operation): string[] {
  const responses = spec.responses as Json;
  const missing = [...everywhere, ...(path.includes('{') ? ['404'] : [])].filter((status) => !(status in responses)).map((status) => `no ${status}`);
  const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  return [...missing, ...refusals.flatMap(([status, response]) => {
    const content = response.content?.['application/json'] as Json | undefined;
    if (content?.schema?.$ref !== '#/components/schemas/ErrorEnvelope') return [`${status} is no envelope`];
    const codes = Object.keys(content.examples as Json);
    return [...(codes.length ? [] : [`${status} names no code`]), ...codes.filter((code) => errorCatalogue[code as ErrorCode]?.status !== Number(status)).map((code) => `${code} is not a ${status}`)];
  })];
}

/** Properties, at any depth, without a description, a type or an example, and examples that their own schema refuses. */
export function propertyViolations(document: OpenAPIObject): string[] {
  const ajv = createAjv();
  return Object.entries(document.components!.schemas! as Json).flatMap(([name, schema]) => Object.entries((schema.properties ?? {}) as Json)
    .flatMap(([property, node]) => nodeViolations(ajv, node as Json).map((violation) => `${name}.${property}: ${violation}`)));
}

/** Bodies that a documentation page would offer to send, and that their own schema refuses. */
export function bodyExampleViolations(document: OpenAPIObject): string[] {
  const ajv = createAjv();
  ajv.addSchema({ $id: 'api', components: toJsonSchema(document.components as Json) });
  return operationsOf(document).flatMap(({ name, spec }) => {
    const content = spec.requestBody?.content?.['application/json'] as Json | undefined;
    if (!content) return [];
    const example = content.examples ? (Object.values(content.examples as Json)[0] as Json).value : sample(content.schema as Json, document);
    return ajv.validate(absolute(toJsonSchema(content.schema as Json)), example) ? [] : [`${name}: ${JSON.stringify(example)} ${ajv.errorsText()}`];
  });
}

/** What documentation pages make of a schema: the examples of its properties. */
function sample(schema: Json, document: OpenAPIObject): unknown {
  const [, name] = /schemas\/(\w+)/.exec(JSON.stringify(schema.$ref ?? schema.allOf?.[0]?.$ref ?? '')) ?? [];
  if (name) return sample((document.components!.schemas! as Json)[name] as Json, document);
  if ('example' in schema || 'default' in schema) return schema.example ?? schema.default;
  if (schema.properties) return Object.fromEntries(Object.entries(schema.properties as Json).map(([key, part]) => [key, sample(part as Json, document)]));
  return schema.type === 'array' ? [sample(schema.items as Json, document)] : schema.enum?.[0];
}

const absolute = (schema: Json): Json => JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as Json;

function nodeViolations(ajv: Ajv2020, node: Json): string[] {
  const isReference = '$ref' in node || '$ref' in (node.items ?? {}) || node.allOf?.some((part: Json) => '$ref' in part);
  const hasExample = ['example', 'default', 'enum'].some((key) => key in node) || node.type === 'boolean';
  return [
    ...(node.description?.trim() ? [] : ['no description']),
    ...(isReference || node.type ? [] : ['no type']),
    ...(isReference || hasExample ? [] : ['no example']),
    ...(node.properties ? ['an object without a class'] : []),
    ...('example' in node && !isReference && !ajv.validate(toJsonSchema(node), node.example) ? ['the example does not fit'] : []),
  ];
}

/** OpenAPI 3.0 says `nullable`; JSON Schema says it with a union. */
export function toJsonSchema(schema: Json): Json {
  const { nullable, example, ...rest } = schema;
  const translated = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, translate(part)]));
  return nullable ? { anyOf: [translated, { type: 'null' }] } : translated;
}

function translate(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(translate);
  return typeof part === 'object' && part !== null ? toJsonSchema(part as Json) : part;
}
