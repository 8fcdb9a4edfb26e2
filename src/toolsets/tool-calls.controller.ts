import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Post,
  Body,
  Controller,
  Param,
  Res,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest, FastifyReply } from 'fastify';
import type { CallContext } from '../mcp/tool.js';
import { principalOf, type Principal } from '../platform/access/principal.js';
import { fieldsOf } from '../platform/fields/field-node.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { rightDocumentation } from '../platform/rest/endpoint-documentation.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { errorResponses } from '../platform/rest/error-responses.js';
import { ToolCallQuery, ToolResult, CompletionInput, CompletionOutput, OfferOutput } from './tool-calls.dto.js';
import { ToolCallsService } from './tool-calls.service.js';
import { OUTCOME_HEADER, sendOutcome } from './tool-outcome.js';
import { toolsets } from './toolsets.js';

/** The one route whose input and output are those of the tool it names. */
function ToolCallEndpoint(path: string): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    RouteConfig({ right: null }), // each tool checks by itself
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
    ...[...fieldsOf(ToolCallQuery)].map(([name, { description }]) =>
      ApiQuery({ name, required: false, description, schema: { type: 'string', format: 'uuid' } }),
    ),
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

/** Who calls, and what the query binds. @throws AppError invalid_argument, unauthenticated */
const BoundContext = createParamDecorator((_: unknown, execution: ExecutionContext): CallContext => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  const { attempt_id = null, project_id = null } = query.parse(request.query);
  return { principal: principalOf(request), attempt_id, project_id, call_id: String(request.id) };
});

/** The tools over plain HTTP; the gateway and stdio use these routes. */
@ApiTags('toolsets')
@Controller('api/toolsets')
export class ToolCallsController {
  constructor(private readonly calls: ToolCallsService) {}

  @ToolCallEndpoint(':toolset/tools/:name')
  async callTool(
    @Param('toolset') toolset: string,
    @Param('name') name: string,
    @Body() args: unknown,
    @BoundContext() context: CallContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return sendOutcome(reply, await this.calls.call(toolset, name, args, context));
  }

  @Endpoint('GET offer', {
    summary: 'Show what decides which tools MCP endpoints list for you; a gateway asks it to list the same.',
    scope: null,
    output: OfferOutput,
  })
  getOffer(@Caller() caller: Principal): Promise<OfferOutput> {
    return this.calls.offer(caller);
  }

  @Endpoint('POST :toolset/completions', {
    summary: 'Complete an argument of a prompt or tool.',
    scope: 'read',
    output: CompletionOutput,
    errors: ['toolset_unknown', 'project_not_found'],
  })
  completeArgument(@Input() input: CompletionInput, @Caller() caller: Principal): Promise<CompletionOutput> {
    return this.calls.complete(input, caller);
  }
}
