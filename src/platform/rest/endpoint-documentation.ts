import {
  ApiBody,
  ApiConsumes,
  ApiExtension,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiSecurity,
} from '@nestjs/swagger';
import type { ProjectRole, Right, Scope } from '../access/scopes.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { type Class, type FieldNode, fieldsOf } from '../fields/field-node.js';
import { parameterSchema } from '../fields/json-schema.js';
import { modeNote, modeRulesOf, requiredLine } from '../fields/mode-rules.js';
import { bodyDocumentation } from './body-documentation.js';
import { NDJSON } from '../access/line-body.js';

interface Route {
  method: string;
  path: string;
  summary: string;
  scope: Scope | null;
  role?: ProjectRole;
  input: Class;
  takesLines?: boolean;
  example?: object;
}

/** Summary, parameters and body of a route, from its input class. */
export function routeDocumentation({
  method,
  path,
  summary,
  scope,
  role,
  input,
  takesLines,
  example,
}: Route): MethodDecorator[] {
  const fields = fieldsOf(input);
  const inPath = [...path.matchAll(/(?<!:):(\w+)/g)] // two colons stand for one that is meant so
    .map(([, name = '']) => name);
  const settled = settledBy(input, inPath);
  const left = [...fields.keys()].filter((name) => !settled.includes(name));
  const required = requiredLine(input, settled);
  return [
    ApiOperation({ summary, description: `${asked(scope, role)} Required: ${required}.` }),
    ...inPath.map((name) => ApiParam({ name, ...parameter(getField(input, name)) })),
    ...(fields.has('request_id')
      ? [ApiHeader({ name: 'Idempotency-Key', required: false, ...parameter(getField(input, 'request_id')) })]
      : []),
    ...(hasBody(method) && !takesLines
      ? bodyDocumentation(input, settled, example)
      : left.map((name) => queryParameter(input, name))),
    ...(takesLines
      ? [ApiConsumes(NDJSON), ApiBody({ required: true, schema: { type: 'string', format: 'binary' } })]
      : []),
  ] as MethodDecorator[];
}

/** What a route asks of its caller, for the document. */
export function rightDocumentation(right: Right | null): MethodDecorator[] {
  return right === null
    ? [ApiSecurity('bearer')]
    : ([ApiSecurity('bearer', [right.scope]), ApiExtension('x-project-role', right.role)] as MethodDecorator[]);
}

const asked = (scope: Scope | null, role?: ProjectRole): string =>
  scope === null ? 'Any caller.' : `Scope: ${scope}.${role ? ` Role in the project: ${role}.` : ''}`;

/** Errors that follow from the input class and the body, besides invalid arguments. */
export function inputErrors({ method, path, input }: Pick<Route, 'method' | 'path' | 'input'>): ErrorCode[] {
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

/** Fields that the body or query does not take: those of the path, their alternatives, and the idempotency key. */
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

/** Without examples, which a documentation page would send as if they were chosen. */
const parameter = (node: FieldNode) => ({
  description: node.description,
  schema: { ...parameterSchema(node), ...(node.default === undefined ? {} : { default: node.default }) },
});

function getField(type: Class, name: string): FieldNode {
  const node = fieldsOf(type).get(name);
  if (!node) throw new Error(`${type.name} has no field ${name}`);
  return node;
}
