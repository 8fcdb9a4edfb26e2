import { applyDecorators, createParamDecorator, type ExecutionContext, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { CallContext } from '../mcp/tool.js';
import { principalOf } from '../platform/access/principal.js';
import { fieldsOf } from '../platform/fields/field-node.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { rightDocumentation } from '../platform/rest/endpoint-documentation.js';
import { errorResponses } from '../platform/rest/error-responses.js';
import { ToolCallQuery, ToolResult } from './tool-calls.dto.js';
import { OUTCOME_HEADER } from './tool-outcome.js';
import { toolsets } from './toolsets.js';

/** The one route whose input and output are those of the tool it names. */
export function ToolCallEndpoint(path: string): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    RouteConfig({ right: null }), // each tool asks for itself
    ...rightDocumentation(null),
    ApiOperation({
      summary: 'Call a tool of a toolset.',
      description:
        'The body holds the arguments of the tool, the response its result. A refusal by the tool has its own status ' +
        `and the shape of the dialect, with the header ${OUTCOME_HEADER}: refusal. ` +
        'The header is absent if the server itself refuses the call.',
    }),
    ApiParam({
      name: 'toolset',
      description: 'Toolset (dialect).',
      schema: { type: 'string', enum: toolsets.map(({ id }) => id) },
    }),
    ApiParam({
      name: 'name',
      description: 'Tool name, as returned by tools/list of the toolset.',
      schema: { type: 'string' },
    }),
    ApiQuery({
      name: 'attempt_id',
      required: false,
      description: fieldsOf(ToolCallQuery).get('attempt_id')!.description,
      schema: { type: 'string', format: 'uuid' },
    }),
    ApiBody({
      required: false,
      description: 'Arguments, according to the input schema of the tool.',
      schema: { type: 'object', additionalProperties: true },
      examples: { list_projects: { value: { limit: 5 } } },
    }),
    ApiResponse({
      status: 200,
      description: 'The result of the tool.',
      type: ToolResult,
      headers: { [OUTCOME_HEADER]: { description: 'Outcome: result or refusal.', schema: { type: 'string' } } },
    }),
    ...errorResponses([
      'toolset_unknown',
      'tool_unknown',
      'attempt_not_found',
      'malformed_body',
      'payload_too_large',
      'unsupported_media_type',
      'storage_full',
    ]),
  );
}

const query = InputParser.of(ToolCallQuery);

/** Who calls, and the attempt of `?attempt_id=`. @throws AppError invalid_argument, unauthenticated */
export const BoundContext = createParamDecorator((_: unknown, execution: ExecutionContext): CallContext => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  const { attempt_id = null } = query.parse(request.query);
  return { principal: principalOf(request), attempt_id, call_id: String(request.id) };
});
