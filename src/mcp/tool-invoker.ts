import { randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import { Logger, type OnModuleInit } from '@nestjs/common';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { isFirstWrite, type PrincipalSource } from '../platform/access/principal-source.js';
import { requireCaller, runReachOf, withRight } from '../platform/access/rights.js';
import { type Right, rightOf } from '../platform/access/scopes.js';
import { AppError } from '../platform/errors/app-error.js';
import { holdsRefusals, toEnvelope } from '../platform/errors/error-envelope.js';
import { withEnvelopes } from '../platform/errors/nested-refusal.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { type Ids, inScope } from '../platform/telemetry/scope.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { unfold } from '../platform/fields/normalise.js';
import { entriesOf, type ToolEntry } from './catalogue/published-tool.js';
import { defaultsFor } from './endpoint-defaults.js';
import { type AnsweredCall, nextCall, wordingOf } from './next-call.js';
import { ownHint } from './own-words.js';
import type { InvocationSink, References, RunInput } from './providers.js';
import {
  type CallContext,
  isForRuns,
  type ToolDefinition,
  type ToolClass,
  type ToolContext,
  type ToolHandler,
  type Toolset,
} from './tool.js';

const logger = new Logger('Mcp');

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
  definition: ToolDefinition;
  right: Right;
  complete: ReturnType<typeof defaultsFor>;
  holdsRefusals: boolean;
}

/** Runs tools: arguments in, result or refusal out. It never throws for what a caller or a handler did wrong. */
export class ToolInvoker implements OnModuleInit {
  private readonly prepared = new Map<Toolset, Map<string, PreparedTool>>();
  private sink!: InvocationSink;
  private references!: References;

  constructor(
    private readonly toolsets: readonly Toolset[],
    private readonly handlerOf: (tool: ToolClass) => ToolHandler,
    private readonly findSink: () => InvocationSink,
    private readonly findReferences: () => References,
    private readonly enrol: PrincipalSource['enrol'],
    private readonly storable: RunInput['storable'],
  ) {}

  /** Finds every handler and compiles every parser, so that a missing one stops the start. */
  onModuleInit(): void {
    this.sink = this.findSink();
    this.references = this.findReferences();
    for (const toolset of this.toolsets)
      this.prepared.set(
        toolset,
        new Map(entriesOf(toolset).map((entry) => [entry.definition.name, this.prepare(entry)])),
      );
  }

  /** Validates, records and runs the call; invalid calls are recorded, too.
   *  @throws AppError tool_unknown; everything else is an outcome */
  async invoke(toolset: Toolset, tool: string, args: unknown, context: CallContext): Promise<ToolOutcome> {
    const tools = this.prepared.get(toolset);
    const prepared = tools?.get(tool);
    if (!prepared) throw new AppError('tool_unknown', { tool, similar: [...(tools?.keys() ?? [])] });
    const { call_id = randomUUID() } = context;
    const principal = actingFor(toolset, context.principal);
    const call = { tool, arguments: args };
    const acting: ToolContext = { ...context, principal, call_id, wording: wordingOf(toolset, call) };
    const enter = () => this.sink.enter({ toolset: toolset.id, tool, context: acting });
    let exit = null as ReturnType<InvocationSink['enter']> | null;
    try {
      acting.principal = admitted(prepared, acting.principal);
      call.arguments = await this.completed(args, prepared, acting);
      const input = prepared.parser.parse(call.arguments);
      if (isToEnrol(acting.principal, input)) acting.principal = await this.enrol(acting.principal);
      exit = enter();
      const result = await inScope(
        `tools/call ${tool}`,
        () => idsIn(input),
        spanOf(toolset, tool),
        () => prepared.handler.call(input, acting),
      );
      exit(null);
      const said = saidBy(toolset, prepared, { tool, arguments: input }, result);
      return { isError: false, status: 200, json: JSON.stringify(said) };
    } catch (error) {
      const refused = asRefusal(error, call_id, tool);
      (exit ?? enter())(refused.code);
      return this.explain(refused, toolset, call, acting.principal);
    }
  }

  /** The arguments as they were meant, with those that the address gives. */
  private async completed(args: unknown, { definition, complete }: PreparedTool, context: ToolContext) {
    const given = unfold(definition.input, (await this.storable(args, context.principal)) ?? {});
    return complete(await this.references.named(given, context.principal), context);
  }

  /** Only a refusal looks for what its ids stand for; where that fails, it is answered as it was. */
  private async explain(
    refused: AppError,
    toolset: Toolset,
    call: AnsweredCall,
    caller: Principal,
  ): Promise<ToolOutcome> {
    const known = await this.references.recognise(refused, call.arguments, caller).catch(() => null);
    return refuse(toolset, { ...call, right: known?.arguments ?? undefined }, known?.error ?? refused);
  }

  private prepare({ tool, definition }: ToolEntry): PreparedTool {
    return {
      parser: InputParser.of(definition.input),
      handler: this.handlerOf(tool),
      definition,
      right: rightOf(definition),
      complete: defaultsFor(definition),
      holdsRefusals: holdsRefusals(definition.output),
    };
  }
}

/** Ids under which the log of a call is found. */
const NAMED_IDS = ['project_id', 'task_id', 'attempt_id', 'session_id'];
const idsIn = (input: object): Ids =>
  Object.fromEntries(Object.entries(input).filter(([name]) => NAMED_IDS.includes(name)));

/** As OpenTelemetry names what MCP does. */
const spanOf = ({ id }: Toolset, tool: string) => ({
  kind: SpanKind.INTERNAL,
  attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool, 'taskyard.toolset': id },
});

/** @throws AppError forbidden, insufficient_scope */
function admitted({ definition, right }: PreparedTool, principal: Principal): Principal {
  const reach = runReachOf(principal);
  if (definition.onlyForRuns && reach === null)
    throw new AppError('forbidden', { reason: `only a run may call ${definition.name}` });
  requireCaller(principal, reach !== null && isForRuns(definition, reach), `call ${definition.name}`);
  return withRight(principal, right);
}

/** A dialect whose arguments name the acting user meets that one itself. */
const isToEnrol = (principal: Principal, input: object): boolean =>
  isFirstWrite(principal) && (principal.newcomer === undefined || !('user_id' in input));

/** For callers who are nobody in particular, the dialect is recorded as the actor. */
function actingFor(toolset: Toolset, principal: Principal): Principal {
  return principal.actor === localOwner.actor
    ? { ...principal, actor: { name: `@${toolset.id}`, type: 'system' } }
    : principal;
}

/** A refusal in the words and the shape of the dialect. */
export function refuse(toolset: Toolset, call: AnsweredCall, error: AppError): ToolOutcome {
  const next = nextCall(error, toolset, call);
  const told = AppError.passedOn(error.code, error.details, ownHint(error, toolset));
  const { isError, structured } = toolset.renderError?.(told, { ...call, next }) ?? {
    isError: true,
    structured: toEnvelope(told, toolset.operationNames, { next }),
  };
  return { isError, status: error.row.status, json: JSON.stringify(structured) };
}

/** The answer in the shape of the dialect, with what it holds of refusals in its words. */
function saidBy(
  toolset: Toolset,
  { holdsRefusals }: PreparedTool,
  call: { tool: string; arguments: unknown },
  result: object,
): object {
  const envelope = (inner: AppError) =>
    toEnvelope(inner, toolset.operationNames, { next: nextCall(inner, toolset, call) });
  const said = holdsRefusals ? (withEnvelopes(result, envelope) as object) : result;
  return toolset.renderResult?.(said) ?? said;
}

/** The refusal for an error. An unexpected one is logged, and the caller only gets the id under which it is found. */
export function asRefusal(error: unknown, call_id: string, what: string): AppError {
  const known = toAppError(error);
  if (known) return known;
  logger.error({ err: error, call_id }, `${what} failed`);
  return new AppError('internal_error', { request_id: call_id });
}
