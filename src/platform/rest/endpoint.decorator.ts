import {
  applyDecorators,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Patch,
  Post,
  Put,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type Principal, principalOf } from '../access/principal.js';
import { type ProjectRole, rightOf, type Scope } from '../access/scopes.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Class } from '../fields/field-node.js';
import { type Answer, answerDocumentation, type EventTypes } from './answer-documentation.js';
import { inputErrors, rightDocumentation, routeDocumentation } from './endpoint-documentation.js';
import { errorResponses } from './error-responses.js';
import { readRestInput } from './rest-input.js';

export interface EndpointSpec {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  /** What it asks of its caller's credential; null: any may call it, what it does asks for itself. */
  scope: Scope | null;
  /** Role in the project, where it asks for more than the one that brings the scope. */
  role?: ProjectRole;
  input: Class;
  output: Answer;
  /** What it answers to another Accept. */
  other?: EventTypes | 'csv';
  /** Address of what it creates, with fields of its answer and its path as `{name}`. */
  location?: string;
  /** Default: 200; 201 for what creates. */
  status?: number;
  /** What its service refuses; what the input class refuses is added. */
  errors: ErrorCode[];
  /** Body to try the route with, where the examples of its fields do not fit together. */
  example?: object;
  /** Group in the documentation, where it is not that of the controller. */
  tag?: string;
}

const verbs = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete };

/** One route: verb, status and its whole documentation from the input and output classes. */
export function Endpoint(spec: EndpointSpec): MethodDecorator {
  const status = spec.status ?? 200;
  const right = spec.scope === null ? null : rightOf({ scope: spec.scope, role: spec.role });
  return applyDecorators(
    verbs[spec.method](spec.path),
    HttpCode(status),
    RouteConfig({ right, location: spec.location }),
    ...rightDocumentation(right),
    ...(spec.tag ? [ApiTags(spec.tag)] : []),
    ...routeDocumentation(spec),
    ...answerDocumentation(status, spec.output, spec.other, spec.location),
    ...errorResponses([...spec.errors, ...inputErrors(spec)]),
  );
}

/** The validated input of the route: path, query or body, and Idempotency-Key as request_id. */
export const Input = (type: Class): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext) =>
    readRestInput(type, context.switchToHttp().getRequest<FastifyRequest>()),
  )();

/** Who calls. @throws AppError unauthenticated where nobody decided that */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  principalOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
