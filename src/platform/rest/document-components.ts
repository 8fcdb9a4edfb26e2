import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode } from '../errors/error-catalogue.js';
import { toEnvelope } from '../errors/error-envelope.js';
import { errorExample } from '../errors/error-examples.js';
import { restNames } from '../errors/operations.js';
import type { JsonSchema } from '../fields/json-schema.js';
import { bodyUnions, isBody } from './body-documentation.js';
import { sharedResponses } from './error-responses.js';
import { sampleOf } from './schema-sample.js';

type Schemas = Record<string, JsonSchema>;

const headers = {
  'X-Request-Id': {
    description: 'Id of the request, as the log and details.http_request_id of a refusal name it.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the call is repeated.',
    schema: { type: 'integer', minimum: 1 },
  },
  Location: { description: 'Address of what was created.', schema: { type: 'string', format: 'uri-reference' } },
};

/** What every operation under /api takes. */
const parameters = {
  'X-User-Id': {
    name: 'X-User-Id',
    in: 'header',
    description:
      'User the call acts for, by user id. It needs the scope act_as; without the header the caller acts itself.',
    schema: { type: 'string', maxLength: 200 },
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'Trace the call belongs to, as W3C Trace Context writes it.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
};

const ErrorCodeSchema = {
  type: 'string',
  description: 'Stable code of an error. Releases add codes: treat one that you do not know by its HTTP status.',
  enum: Object.keys(errorCatalogue).sort(),
  'x-extensible-enum': true,
};

/** Puts what operations share into the document once: refusals, their examples, headers, whole answers. */
export function withComponents(document: OpenAPIObject): OpenAPIObject {
  const schemas = completedSchemas(document.components!.schemas as Schemas);
  const samples: Record<string, object> = {};
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => [
        method,
        completed(path, operation, schemas, samples),
      ]),
    ),
  ]);
  const components = { ...document.components, schemas, headers, parameters, responses: sharedResponses() };
  const complete = { paths: Object.fromEntries(paths) as object, components };
  const examples = { ...errorExamples(complete), ...samples };
  return Object.assign({}, document, { ...complete, components: { ...components, examples } });
}

/** With the bodies that have no class, and the codes of errors; a class without fields stands for any object. */
function completedSchemas(given: Schemas): Schemas {
  const open = Object.entries(given).map(([name, schema]) => [
    name,
    Object.keys(schema.properties ?? {}).length === 0
      ? { type: 'object', additionalProperties: true }
      : { ...schema, ...(isBody(name) ? { additionalProperties: false } : {}) },
  ]);
  const { properties, ...envelope } = given.ErrorEnvelope as { properties: JsonSchema };
  const code = { $ref: '#/components/schemas/ErrorCode', description: ErrorCodeSchema.description };
  return {
    ...(Object.fromEntries(open) as Schemas),
    ...bodyUnions(),
    ErrorEnvelope: { ...envelope, properties: { ...properties, code } },
    ErrorCode: ErrorCodeSchema,
  };
}

interface Media {
  schema?: { $ref?: string };
  examples?: object;
}
interface Operation {
  security?: unknown[];
  parameters?: unknown[];
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
}

/** An operation with its parameters and an example of its answer. */
function completed(path: string, operation: Operation, schemas: Schemas, samples: Record<string, object>): Operation {
  const isApi = path.startsWith('/api/');
  const common = Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const responses = Object.entries(operation.responses).map(([status, { $ref, ...response }]) => {
    if ($ref) return [status, { $ref }];
    const json = response.content?.['application/json'];
    const name = json?.schema?.$ref?.split('/').at(-1);
    if (!json || !name || json.examples) return [status, response];
    samples[name] = { value: sampleOf(schemas[name]!, schemas) };
    const examples = { [name]: { $ref: `#/components/examples/${name}` } };
    return [status, { ...response, content: { ...response.content, 'application/json': { ...json, examples } } }];
  });
  return {
    ...operation,
    security: operation.security ?? [],
    parameters: [...(operation.parameters ?? []), ...(isApi ? common : [])],
    responses: Object.fromEntries(responses) as Operation['responses'],
  };
}

/** An example of each code that an operation announces. */
function errorExamples(document: object): Record<string, object> {
  const named = new Set([...JSON.stringify(document).matchAll(/"#\/components\/examples\/(\w+)"/g)].map(([, n]) => n!));
  const http_request_id = '0198c0de-0000-7000-8000-000000000099';
  return Object.fromEntries(
    [...named]
      .filter((name): name is ErrorCode => name in errorCatalogue)
      .sort()
      .map((code) => [code, { value: toEnvelope(errorExample(code), restNames, { http_request_id }) }]),
  );
}
