import { Body, Controller, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { CallContext } from '../mcp/tool.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { BoundContext, ToolCallEndpoint } from './tool-call-endpoint.decorator.js';
import { CompletionInput, CompletionOutput } from './tool-calls.dto.js';
import { ToolCallsService } from './tool-calls.service.js';
import { sendOutcome } from './tool-outcome.js';

/** The tools for programs that speak plain HTTP; the gateway and stdio stand on these routes. */
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

  @Endpoint({
    method: 'POST',
    path: ':toolset/completions',
    summary: 'Complete an argument of a prompt or tool.',
    scope: 'read',
    input: CompletionInput,
    output: CompletionOutput,
    errors: ['toolset_unknown', 'project_not_found'],
  })
  completeArgument(
    @Input(CompletionInput) input: CompletionInput,
    @Caller() caller: Principal,
  ): Promise<CompletionOutput> {
    return this.calls.complete(input, caller);
  }
}
