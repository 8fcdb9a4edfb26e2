import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode } from '../../src/platform/errors/error-catalogue.js';
import type { Json } from './mcp-client.js';

/** What every route under /api may answer, whatever it does. */
const everywhere = ['400', '401', '403', '429', '500', '503'];
const streams = ['text/event-stream', 'text/plain'];

export interface Operation {
  name: string;
  path: string;
  method: string;
  spec: Json;
}

export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, spec]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      spec: spec as Json,
    })),
  );
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
  if (successes.length !== 1) return ['not exactly one success'];
  const content = (successes[0]![1].content ?? {}) as Json;
  const [type] = Object.keys(content);
  return streams.includes(type!) || content['application/json']?.schema?.$ref ? [] : ['no output type'];
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
  return [
    ...missing,
    ...refusals.flatMap(([status, response]) => {
      const content = response.content?.['application/json'] as Json | undefined;
      if (content?.schema?.$ref !== '#/components/schemas/ErrorEnvelope') return [`${status} is no envelope`];
      const codes = Object.keys(content.examples as Json);
      return [
        ...(codes.length ? [] : [`${status} names no code`]),
        ...codes
          .filter((code) => errorCatalogue[code as ErrorCode]?.status !== Number(status))
          .map((code) => `${code} is not a ${status}`),
      ];
    }),
  ];
}
