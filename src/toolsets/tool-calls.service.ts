import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AttemptBinding, CompletionSource, Offers } from '../mcp/providers.js';
import { type CallContext, toolDefinitionOf, type Toolset } from '../mcp/tool.js';
import { ToolInvoker, type ToolOutcome } from '../mcp/tool-invoker.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import type { CompletionInput, CompletionOutput, OfferOutput } from './tool-calls.dto.js';
import { toolsets } from './toolsets.js';

/** The tools and completions of every toolset, by name. */
@Injectable()
export class ToolCallsService implements OnModuleInit {
  private attempts: AttemptBinding;
  private completions: CompletionSource;
  private offers: Offers;

  constructor(
    private readonly invoker: ToolInvoker,
    private readonly modules: ModuleRef,
  ) {}

  /** Provided by the module that knows the toolsets, as for the MCP endpoints. */
  onModuleInit(): void {
    this.attempts = this.modules.get(AttemptBinding, { strict: false });
    this.completions = this.modules.get(CompletionSource, { strict: false });
    this.offers = this.modules.get(Offers, { strict: false });
  }

  /** @throws AppError toolset_unknown, tool_unknown, attempt_not_found; refusals of the tool are outcomes */
  async call(toolsetId: string, tool: string, args: unknown, context: CallContext): Promise<ToolOutcome> {
    const toolset = toolsetOf(toolsetId);
    if (context.attempt_id) await this.attempts.check(context.attempt_id, context.principal);
    else requireNoAttempt(toolset, tool);
    return this.invoker.invoke(toolset, tool, args, context);
  }

  /** What the lists of the MCP endpoints show this caller. */
  async offer(principal: Principal): Promise<OfferOutput> {
    const { scopes, run, hasForge, hasChecks } = await this.offers.of(principal);
    return { scopes: [...scopes], run, has_forge: hasForge, has_checks: hasChecks };
  }

  /** @throws AppError toolset_unknown, invalid_argument */
  async complete(
    { toolset, argument, value, context = {} }: CompletionInput,
    principal: Principal,
  ): Promise<CompletionOutput> {
    toolsetOf(toolset);
    if (!isTexts(context)) throw refusal([{ field: 'context', message: 'context must be an object of texts' }]);
    return { values: await this.completions.complete(argument, value, context, { principal, attempt_id: null }) };
  }
}

function toolsetOf(id: string): Toolset {
  const toolset = toolsets.find((one) => one.id === id);
  if (!toolset) throw new AppError('toolset_unknown', { toolset: id, known: toolsets.map((one) => one.id) });
  return toolset;
}

function requireNoAttempt(toolset: Toolset, tool: string): void {
  const definition = toolset.tools.map(toolDefinitionOf).find(({ name }) => name === tool);
  if (definition?.needsAttempt)
    throw new AppError(
      'tool_unknown',
      { tool, similar: [tool] },
      `${tool} requires an attempt: add ?attempt_id= to the URL.`,
    );
}

const isTexts = (values: Record<string, unknown>): values is Record<string, string> =>
  Object.values(values).every((value) => typeof value === 'string');
