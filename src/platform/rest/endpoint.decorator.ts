import { applyDecorators, createParamDecorator, Delete, type ExecutionContext, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse, getSchemaPath, OmitType } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { localOwner, type Principal } from '../access/principal.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { errorResponses } from './error-responses.js';
import { type Class, fieldsOf } from '../fields/field-node.js';
import { modeNote, requiredLine } from '../fields/mode-notes.js';
import { branchesOf } from '../fields/mode-branches.js';
import { readRestInput } from './rest-input.js';

export interface EndpointSpec {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  input: Class;
  output: Class;
  /** Default: 200; 201 for what creates. */
  status?: number;
  errors: ErrorCode[];
}

const verbs = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete };

/** One route: verb, status and its whole documentation from the input and output classes. */
export function Endpoint(spec: EndpointSpec): MethodDecorator {
  const status = spec.status ?? 200;
  return applyDecorators(
    verbs[spec.method](spec.path),
    HttpCode(status),
    ApiBearerAuth(),
    ApiOperation({ summary: spec.summary, description: `Required: ${requiredLine(spec.input)}.` }),
    ...inputDocumentation(spec),
    ApiResponse({ status, description: 'Success.', type: spec.output as never }),
    ...errorResponses(spec.errors),
  );
}

/** The validated input of the route: path, query or body, and Idempotency-Key as request_id. */
export const Input = (type: Class): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext) => readRestInput(type, context.switchToHttp().getRequest<FastifyRequest>()))();

export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  context.switchToHttp().getRequest<FastifyRequest>().principal ?? localOwner);

function inputDocumentation({ method, path, input }: EndpointSpec): (MethodDecorator & ClassDecorator)[] {
  const fields = fieldsOf(input);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const rest = [...fields.keys()].filter((name) => !inPath.includes(name) && name !== 'request_id');
  const describe = (name: string) => fields.get(name)!.description + modeNote(input, name);
  const documented: MethodDecorator[] = inPath.map((name) => ApiParam({ name, description: fields.get(name)?.description, schema: { type: 'string', format: 'uuid' } }));
  if (fields.has('request_id')) documented.push(ApiHeader({ name: 'Idempotency-Key', required: false, description: fields.get('request_id')!.description }));
  if (method === 'GET' || method === 'DELETE') {
    documented.push(...rest.map((name) => ApiQuery({ name, required: !fields.get(name)!.optional, description: describe(name), schema: querySchema(fields.get(name)!) })));
  } else if (rest.length) documented.push(...bodyDocumentation(input, inPath));
  return documented as (MethodDecorator & ClassDecorator)[];
}

function querySchema(node: { kind: string; values?: readonly string[]; minimum?: number }): object {
  if (node.kind === 'int') return { type: 'integer', minimum: node.minimum };
  if (node.kind === 'bool') return { type: 'boolean' };
  return { type: 'string', ...(node.values ? { enum: [...node.values] } : {}), ...(node.kind === 'uuid' ? { format: 'uuid' } : {}) };
}

const bodies = new Map<string, Class>();

/** The input class less its path fields and request_id, under a name of its own, with the branches that remain. */
function bodyDocumentation(input: Class, inPath: string[]): MethodDecorator[] {
  const left = [...inPath, 'request_id'].filter((name) => fieldsOf(input).has(name));
  const name = `${input.name.replace(/Input$/, '')}Body${inPath.filter((field) => branchesOf(input).length && field === 'session_id').length ? 'BySession' : ''}`;
  const body = bodies.get(name) ?? Object.defineProperty(OmitType(input as never, left as never) as unknown as Class, 'name', { value: name });
  bodies.set(name, body);
  const branches = branchesOf(input).filter((branch) => inPath.every((field) => !forbids(branch, field))).map((branch) => without(branch, inPath));
  const ref = { $ref: getSchemaPath(body as never) };
  return [ApiExtraModels(body as never), ApiBody({ schema: branches.length ? { allOf: [ref], oneOf: branches } : ref })];
}

const forbids = (branch: Record<string, unknown>, field: string): boolean => JSON.stringify(branch.not ?? {}).includes(`"${field}"`);

function without(branch: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  const { not: _not, required = [], ...rest } = branch as { not?: unknown; required?: string[] };
  const left = required.filter((name) => !fields.includes(name));
  const not = JSON.stringify(_not ?? null);
  return { ...rest, ...(left.length ? { required: left } : {}), ...(_not && !fields.some((field) => not.includes(`"${field}"`)) ? { not: _not } : {}) };
}
