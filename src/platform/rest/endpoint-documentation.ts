import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiBody,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  OmitType,
} from '@nestjs/swagger';
import { type ProjectRole, rightOf, type Scope } from '../access/scopes.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { type Class, type FieldNode, fieldsOf } from '../fields/field-node.js';
import { branchesOf } from '../fields/mode-branches.js';
import { simpleSchema } from '../fields/json-schema.js';
import { modeNote, requiredLine } from '../fields/mode-notes.js';
import { modeRulesOf } from '../fields/mode-rules.js';

interface Route {
  method: string;
  path: string;
  summary: string;
  input: Class;
  example?: object;
}

/** Summary, parameters and body of a route, from its input class. */
export function routeDocumentation({ method, path, summary, input, example }: Route): MethodDecorator[] {
  const fields = fieldsOf(input);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const settled = settledBy(input, inPath);
  const left = [...fields.keys()].filter((name) => !settled.includes(name));
  const required = requiredLine(input, settled);
  return [
    ApiOperation({ summary, ...(required === 'nothing' ? {} : { description: `Required: ${required}.` }) }),
    ...inPath.map((name) => ApiParam({ name, ...parameter(getField(input, name)) })),
    ...(fields.has('request_id')
      ? [ApiHeader({ name: 'Idempotency-Key', required: false, ...parameter(getField(input, 'request_id')) })]
      : []),
    ...(hasBody(method)
      ? bodyDocumentation(input, settled, left, example)
      : left.map((name) => queryParameter(input, name))),
  ] as MethodDecorator[];
}

/** The one declaration of what a route asks of its caller: the access check and the document read it. */
export function rightDocumentation({ scope, role }: { scope: Scope | null; role?: ProjectRole }): MethodDecorator[] {
  if (scope === null) return [RouteConfig({ right: null }), ApiSecurity('bearer')] as MethodDecorator[];
  const right = rightOf({ scope, role });
  return [
    RouteConfig({ right }),
    ApiSecurity('bearer', [scope]),
    ApiExtension('x-project-role', right.role),
  ] as MethodDecorator[];
}

/** What the input class and the body alone make a route refuse, besides invalid arguments. */
export function inputErrors({ method, path, input }: Route): ErrorCode[] {
  const { exactlyOne = [], paging } = modeRulesOf(input);
  const hasTargetInPath = exactlyOne.some((field) => path.includes(`:${field}`));
  return [
    ...(exactlyOne.length ? ['ambiguous_target' as const] : []),
    ...(exactlyOne.length && !hasTargetInPath ? ['missing_target' as const] : []),
    ...(paging ? ['mixed_pagination' as const] : []),
    ...(fieldsOf(input).has('request_id') ? ['idempotency_conflict' as const, 'idempotency_in_progress' as const] : []),
    ...(method === 'GET' ? [] : ['storage_full' as const]),
    ...(hasBody(method)
      ? ['malformed_body' as const, 'payload_too_large' as const, 'unsupported_media_type' as const]
      : []),
  ];
}

const hasBody = (method: string): boolean => method !== 'GET' && method !== 'DELETE';

/** What a route answers when it does what was asked. */
export function answerDocumentation(status: number, output: Class | 'events' | 'text'): MethodDecorator[] {
  if (output === 'text')
    return [
      ApiResponse({ status, description: 'The text.', content: { 'text/plain': { schema: { type: 'string' } } } }),
    ];
  if (output !== 'events') return [ApiResponse({ status, description: 'Success.', type: output })];
  const schema = {
    type: 'string',
    description: 'Server-sent events; the id of each event is its entry_index, its data is JSON.',
  } as const;
  return [
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'Id of the last event received; the stream resumes after it. -1 starts with the first event.',
      schema: { type: 'integer', minimum: -1 },
    }),
    ApiResponse({
      status,
      description: 'A stream of events.',
      content: { 'text/event-stream': { schema, example: EVENT } },
    }),
  ];
}

const EVENT = [
  'id: 0',
  'event: entry',
  'data: {"entry_index":0,"execution_process_id":null,"created_at":"2026-11-21T12:00:00.000Z",' +
    '"entry":{"type":"state","content":"codingagent running"}}',
  '\n',
].join('\n');

/** Fields the body or query does not take: those of the path, the targets they stand for, and the key, a header. */
function settledBy(input: Class, inPath: string[]): string[] {
  const { exactlyOne = [] } = modeRulesOf(input);
  return [...inPath, ...(exactlyOne.some((field) => inPath.includes(field)) ? exactlyOne : []), 'request_id'];
}

function queryParameter(input: Class, name: string): MethodDecorator {
  const node = getField(input, name);
  return ApiQuery({
    name,
    required: !node.optional,
    ...parameter(node),
    description: node.description + modeNote(input, name),
  });
}

/** Without examples: a documentation page would send them as if they were asked for. */
const parameter = (node: FieldNode) => ({ description: node.description, schema: simpleSchema(node) });

function getField(type: Class, name: string): FieldNode {
  const node = fieldsOf(type).get(name);
  if (!node) throw new Error(`${type.name} has no field ${name}`);
  return node;
}

const bodies = new Map<string, Class>();

/** The input class less what is settled elsewhere, under a name of its own, with the branches that remain. */
function bodyDocumentation(input: Class, settled: string[], left: string[], example?: object): MethodDecorator[] {
  if (left.length === 0) return [];
  const name = `${input.name.replace(/Input$/, '')}Body`;
  const omitted = settled.filter((field) => fieldsOf(input).has(field));
  const body = bodies.get(name) ?? without(input, omitted, name);
  bodies.set(name, body);
  const branches = branchesOf(input, settled);
  const ref = { $ref: getSchemaPath(body) };
  const required = left.some((field) => !getField(input, field).optional) || branches.length > 0;
  return [
    ApiExtraModels(body),
    ApiBody({
      required,
      schema: branches.length ? { allOf: [ref], oneOf: branches } : ref,
      ...(example ? { examples: { example: { value: example } } } : {}),
    }),
  ];
}

/** The class less some of its fields, under another name. */
function without(input: Class, omitted: string[], name: string): Class {
  const body: Class = OmitType(input as Type<Record<string, unknown>>, omitted);
  return Object.defineProperty(body, 'name', { value: name });
}
