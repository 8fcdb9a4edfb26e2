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
import { holdsRefusals } from '../errors/error-envelope.js';
import type { Class } from '../fields/field-node.js';
import { type Answer, answerDocumentation, type EventTypes } from './answer-documentation.js';
import { inputErrors, rightDocumentation, routeDocumentation } from './endpoint-documentation.js';
import { errorResponses } from './error-responses.js';
import { readRestInput } from './rest-input.js';

export interface EndpointSpec {
  summary: string;
  /** Scope that the caller needs; null if the operation checks by itself. */
  scope: Scope | null;
  /** Role in the project, if it takes more than the one that includes the scope. */
  role?: ProjectRole;
  output: Answer;
  /** What it answers to another Accept. */
  other?: EventTypes | 'csv';
  /** Address of what it creates, with fields of its answer and its path as `{name}`. */
  location?: string;
  /** The body is lines of JSON, of any size; fields of the input are in the query. */
  takesLines?: boolean;
  /** Default: 200; 201 for what creates. */
  status?: number;
  /** Codes that its service throws; those of the input class are added. */
  errors?: ErrorCode[];
  /** Body to try the route with, where the examples of its fields do not fit together. */
  example?: object;
  /** Group in the documentation, where it is not that of the controller. */
  tag?: string;
}

const verbs = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete };
type Verb = keyof typeof verbs;

/** One route, such as `GET :task_id`: verb, status and its whole documentation from the input and output classes. */
export const Endpoint =
  (route: Verb | `${Verb} ${string}`, spec: EndpointSpec): MethodDecorator =>
  (target, name, descriptor) => {
    const [method, path = ''] = route.split(' ') as [Verb, string?];
    const { status = 200, scope, role, tag, output, other, location, takesLines, errors = [] } = spec;
    const right = scope === null ? null : rightOf({ scope, role });
    const documented = { ...spec, method, path, input: inputOf(target, name) };
    applyDecorators(
      verbs[method](path),
      HttpCode(status),
      RouteConfig({
        right,
        location,
        takesLines,
        holdsRefusals: typeof output === 'function' && holdsRefusals(output),
      }),
      ...rightDocumentation(right),
      ...(tag ? [ApiTags(tag)] : []),
      ...routeDocumentation(documented),
      ...answerDocumentation(status, output, other, location),
      ...errorResponses([...errors, ...inputErrors(documented)]),
    )(target, name, descriptor);
  };

const INPUT = Symbol('taskyard:endpoint-input');
class NoInput {}
const inputOf = (target: object, name: string | symbol): Class =>
  (Reflect.getMetadata(INPUT, target, name) as Class | undefined) ?? NoInput;

/** The validated input of the route, of the class that the parameter has: path, query or body, and Idempotency-Key as
 *  request_id. */
export const Input = (): ParameterDecorator => (target, name, index) => {
  const type = (Reflect.getMetadata('design:paramtypes', target, name!) as (Class | undefined)[])[index];
  if (type === undefined || (type as unknown) === Object) throw new Error(`${String(name)}: its input is no class`);
  Reflect.defineMetadata(INPUT, type, target, name!);
  createParamDecorator((_: unknown, context: ExecutionContext) =>
    readRestInput(type, context.switchToHttp().getRequest<FastifyRequest>()),
  )()(target, name, index);
};

/** Who calls. @throws AppError unauthenticated where nobody decided that */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  principalOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
