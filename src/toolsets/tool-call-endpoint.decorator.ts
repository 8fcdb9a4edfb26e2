import { applyDecorators, createParamDecorator, type ExecutionContext, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { CallContext } from '../mcp/tool.js';
import { principalOf } from '../platform/access/principal.js';
import { fieldsOf } from '../platform/fields/field-node.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { errorResponses } from '../platform/rest/error-responses.js';
import { ToolCallQuery, ToolResult } from './tool-calls.dto.js';
import { OUTCOME_HEADER } from './tool-outcome.js';
import { toolsets } from './toolsets.js';

/** The one route whose input and output are those of the tool it names. */
export function ToolCallEndpoint(path: string): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Call a tool of a toolset.',
      description: `The body holds the tool's arguments, the answer is its result. What the tool refuses has the status of the refusal and the shape of the dialect; the header ${OUTCOME_HEADER} then says \`refusal\`, and is absent where the server refuses the call itself.`,
    }),
    ApiParam({
      name: 'toolset',
      description: 'The dialect.',
      schema: { type: 'string', enum: toolsets.map(({ id }) => id) },
    }),
    ApiParam({
      name: 'name',
      description: 'The tool, as tools/list of the toolset names it.',
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
      description: 'The arguments, as the input schema of the tool says.',
      schema: { type: 'object', additionalProperties: true },
      examples: { list_projects: { value: { limit: 5 } } },
    }),
    ApiResponse({
      status: 200,
      description: 'The result of the tool.',
      type: ToolResult,
      headers: { [OUTCOME_HEADER]: { description: 'result or refusal.', schema: { type: 'string' } } },
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
