import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode } from '../../src/platform/errors/error-catalogue.js';
import type { Json } from './mcp-client.js';

/** What every route under /api may answer, whatever it does. */
const everywhere = ['400', '401', '403', '429', '500', '503'];
const streams = ['text/event-stream', 'text/plain', 'text/x-patch', 'application/gzip', 'application/x-ndjson'];

/** startAttempt, never the class that answers (Attempts_start, AttemptsController_start). */
const OPERATION = /^[a-z]+([A-Z][a-z]+)+(?<!Controller|Service)$/;

export interface Operation {
  name: string;
  path: string;
  method: string;
  spec: Json;
}

/** Every operation, with the responses and parameters in place that it shares with others. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  const resolved = (node: Json): Json => (node.$ref ? partOf(document, node.$ref as string) : node);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, spec]: [string, Json]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      spec: {
        ...spec,
        parameters: (spec.parameters as Json[]).map(resolved),
        responses: Object.fromEntries(
          Object.entries(spec.responses as Json).map(([status, response]) => [status, resolved(response as Json)]),
        ),
      },
    })),
  );
}

/** What a `$ref` within the document names. */
function partOf(document: OpenAPIObject, ref: string): Json {
  return ref
    .slice(2)
    .split('/')
    .reduce<Json>((node, key) => node[key] as Json, document as unknown as Json);
}

/** What a route leaves out: summary, group, output type, parameters, refusals. */
export function routeViolations(document: OpenAPIObject): string[] {
  const operations = operationsOf(document);
  const described = (document.tags ?? []).map(({ name }) => name);
  const used = operations.flatMap(({ spec }) => (spec.tags ?? []) as string[]);
  const ids = operations.map(({ spec }) => spec.operationId as string);
  return [
    ...[...described.filter((tag) => !used.includes(tag)), ...used.filter((tag) => !described.includes(tag))].map(
      (tag) => `${tag}: a tag that is not both described and used`,
    ),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: the operation id is used twice`),
    ...ids.filter((id) => !OPERATION.test(id)).map((id) => `${id}: the operation id is not a verb and its object`),
    ...operations.flatMap((operation) =>
      [
        ...(/^[A-Z].*\.$/.test(operation.spec.summary ?? '') ? [] : ['no summary that is a sentence']),
        ...(operation.spec.tags?.length === 1 ? [] : ['not exactly one tag']),
        ...outputViolations(operation),
        ...parameterViolations(operation),
        ...(operation.path.startsWith('/api/') ? refusalViolations(operation) : []),
      ].map((violation) => `${operation.name}: ${violation}`),
    ),
  ];
}

function outputViolations({ spec }: Operation): string[] {
  const successes = Object.entries(spec.responses as Json).filter(([status]) => status.startsWith('2'));
  const [success, ...others] = successes;
  if (!success || others.length > 0) return ['not exactly one success'];
  const content = ((success[1] as Json).content ?? {}) as Json;
  const [type = ''] = Object.keys(content);
  return streams.includes(type) || content['application/json']?.schema?.$ref ? [] : ['no output type'];
}

function parameterViolations({ path, method, spec }: Operation): string[] {
  const parameters = (spec.parameters ?? []) as Json[];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    ...inPath
      .filter((name) => !parameters.some((one) => one.in === 'path' && one.name === name))
      .map((name) => `${name} is not documented`),
    ...parameters
      .filter((one) => !one.description || !one.schema)
      .map((one) => `${one.name} has no description or schema`),
    ...(spec.requestBody && !['post', 'put', 'patch'].includes(method) ? [`${method} has a body`] : []),
  ];
}

function refusalViolations({ path, spec }: Operation): string[] {
  const responses = spec.responses as Json;
  const missing = [...everywhere, ...(path.includes('{') ? ['404'] : [])]
    .filter((status) => !(status in responses))
    .map((status) => `no ${status}`);
  const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  return [...missing, ...refusals.flatMap(([status, response]) => responseViolations(status, response as Json))];
}

function responseViolations(status: string, { content, headers }: Json): string[] {
  const { schema, examples } = content?.['application/json'] as Json;
  const [envelope, narrowed] = (schema.allOf ?? []) as Json[];
  if (envelope?.$ref !== '#/components/schemas/ErrorEnvelope') return [`${status} is no envelope`];
  const codes = Object.keys(examples as Json);
  const violations: [boolean, string][] = [
    [codes.length === 0, 'names no code'],
    [String(narrowed!.properties.code.enum) !== String(codes), 'is not narrowed to its codes'],
    [!headers?.['X-Request-Id'], 'names no X-Request-Id'],
    [status === '429' && !headers?.['Retry-After'], 'names no Retry-After'],
    ...codes.map((code): [boolean, string] => [
      errorCatalogue[code as ErrorCode]?.status !== Number(status),
      `says ${code}, which has another status`,
    ]),
  ];
  return violations.filter(([isThere]) => isThere).map(([, text]) => `${status} ${text}`);
}
