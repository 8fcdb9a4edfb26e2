import { randomUUID } from 'node:crypto';
import type { OnModuleInit } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/run-rights.js';
import { AppError } from '../platform/errors/app-error.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { entriesOf, type ToolEntry } from './catalogue/published-tool.js';
import { asRefusal } from './failure-report.js';
import type { InvocationSink } from './invocation-sink.js';
import {
  type CallContext,
  isForRuns,
  type ToolClass,
  type ToolContext,
  type ToolHandler,
  type Toolset,
} from './tool.js';

/** What a tool answers, whichever way it was called. */
export interface ToolOutcome {
  isError: boolean;
  /** HTTP status where the tool is called over plain REST. */
  status: number;
  /** The result or the refusal, as JSON text. */
  json: string;
}

/** Whatever runs tools: the handlers of this process, or a server elsewhere. */
export type ToolCalls = Pick<ToolInvoker, 'invoke'>;

interface PreparedTool {
  parser: InputParser<object>;
  handler: ToolHandler<object>;
  isForRuns: boolean;
}

/** Runs tools: arguments in, result or refusal out. It never throws for what a caller or a handler did wrong. */
export class ToolInvoker implements OnModuleInit {
  private readonly prepared = new Map<Toolset, Map<string, PreparedTool>>();
  private sink!: InvocationSink;

  constructor(
    private readonly toolsets: readonly Toolset[],
    private readonly handlerOf: (tool: ToolClass) => ToolHandler,
    private readonly findSink: () => InvocationSink,
  ) {}

  /** Finds every handler and compiles every parser, so that a missing one stops the start. */
  onModuleInit(): void {
    this.sink = this.findSink();
    for (const toolset of this.toolsets)
      this.prepared.set(
        toolset,
        new Map(entriesOf(toolset).map((entry) => [entry.definition.name, this.prepare(entry)])),
      );
  }

  /** Validates, records, dispatches, records; a call that is not valid is recorded too.
   *  @throws AppError tool_unknown; everything else is an outcome */
  async invoke(toolset: Toolset, tool: string, args: unknown, context: CallContext): Promise<ToolOutcome> {
    const tools = this.prepared.get(toolset);
    const prepared = tools?.get(tool);
    if (!prepared) throw new AppError('tool_unknown', { tool, similar: [...(tools?.keys() ?? [])] });
    const acting: ToolContext = {
      ...context,
      principal: actingFor(toolset, context.principal),
      names: toolset.operationNames,
    };
    const enter = () => this.sink.enter({ toolset: toolset.id, tool, context: acting });
    let exit = null as ReturnType<InvocationSink['enter']> | null;
    try {
      requireCaller(acting.principal, prepared.isForRuns, `call ${tool}`);
      const input = prepared.parser.parse(args ?? {});
      exit = enter();
      const result = await prepared.handler.call(input, acting);
      exit(null);
      return { isError: false, status: 200, json: JSON.stringify(toolset.renderResult?.(result) ?? result) };
    } catch (error) {
      const refused = asRefusal(error, context.call_id ?? randomUUID(), tool);
      (exit ?? enter())(refused.code);
      return refuse(toolset, { tool, arguments: args }, refused);
    }
  }

  private prepare({ tool, definition }: ToolEntry): PreparedTool {
    return {
      parser: InputParser.of(definition.input),
      handler: this.handlerOf(tool),
      isForRuns: isForRuns(definition),
    };
  }
}

/** For anonymous callers, the dialect is recorded as the actor. */
function actingFor(toolset: Toolset, principal: Principal): Principal {
  return principal.worker === null && principal.attempt === null
    ? { ...principal, actor: { name: `@${toolset.id}`, type: 'system' } }
    : principal;
}

/** A refusal in the words and the shape of the dialect. */
export function refuse(toolset: Toolset, call: { tool: string; arguments: unknown }, error: AppError): ToolOutcome {
  const { isError, structured } = toolset.renderError?.(error, call) ?? {
    isError: true,
    structured: toEnvelope(error, toolset.operationNames),
  };
  return { isError, status: error.row.status, json: JSON.stringify(structured) };
}
