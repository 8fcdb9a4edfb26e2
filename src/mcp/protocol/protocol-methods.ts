import { AppError } from '../../platform/errors/app-error.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import { isRecord } from '../../platform/fields/normalise.js';
import { promptText } from '../catalogue/loop-guide.js';
import { entriesOf } from '../catalogue/published-tool.js';
import type { ToolsetView } from '../catalogue/toolset-catalogue.js';
import type { CompletionSource } from '../providers.js';
import type { CallContext, ToolDefinition } from '../tool.js';
import type { ToolCalls, ToolOutcome } from '../tool-invoker.js';
import { RpcError, rpcCodes } from './json-rpc.js';
import { takes } from '../next-call.js';
import { isSameName, similarNames } from './similar-names.js';

type Params = Record<string, unknown>;

/** The protocol's cap on the values of one completion. */
const MAX_VALUES = 100;

/** Also what is not listed for this caller: the tool then says why. */
export const isCallable = (tool: unknown, { tools, withheld }: ToolsetView): boolean =>
  typeof tool === 'string' && (tools.has(tool) || withheld.has(tool));

/** Result of `tools/call` as JSON. The payload is made a text once and stands in both places.
 *  @throws RpcError at once where the call is malformed */
export function callTool(params: Params, view: ToolsetView, invoker: ToolCalls, context: CallContext): Promise<string> {
  const name = textParam(params, 'name');
  if (!isCallable(name, view)) throw toolUnknown(name, view, params.arguments ?? {});
  const args = params.arguments ?? {};
  if (!isRecord(args)) throw new RpcError(rpcCodes.invalidParams, 'arguments must be an object.');
  return invoker.invoke(view.toolset, name, args, context).then((outcome) => toolResult(view, outcome));
}

function toolResult({ toolset: { renderText } }: ToolsetView, { json, isError }: ToolOutcome): string {
  const text = renderText && !isError ? JSON.stringify(renderText(JSON.parse(json) as Record<string, unknown>)) : json;
  const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
  return `{${content},"structuredContent":${json}${isError ? ',"isError":true' : ''}}`;
}

export function getPrompt(params: Params, view: ToolsetView): object {
  const name = textParam(params, 'name');
  const prompt = view.prompts.get(name);
  if (!prompt)
    throw new RpcError(rpcCodes.invalidParams, `There is no prompt ${name}.`, { known: [...view.prompts.keys()] });
  const values = textValues(params.arguments, 'arguments');
  const missing = prompt.arguments
    .filter((argument) => argument.required && !values[argument.name])
    .map((argument) => argument.name);
  if (missing.length)
    throw new RpcError(rpcCodes.invalidParams, `The prompt ${name} needs ${missing.join(', ')}.`, { missing });
  const text = promptText(prompt, values, view.toolset, [...view.tools.values()]);
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

export function readResource(params: Params, view: ToolsetView): object {
  const uri = textParam(params, 'uri');
  const resource = view.resources.get(uri);
  if (!resource)
    throw new RpcError(rpcCodes.resourceNotFound, `Resource ${uri} does not exist.`, {
      uri,
      known: [...view.resources.keys()],
    });
  return { contents: [{ uri, mimeType: resource.mimeType, text: resource.text }] };
}

interface CompletionResult {
  completion: { values: string[]; total: number; hasMore: boolean };
}

/** Values for an argument of a prompt. Unknown arguments complete to nothing rather than failing. */
export async function complete(
  params: Params,
  view: ToolsetView,
  source: CompletionSource,
  call: CallContext,
): Promise<CompletionResult> {
  const { ref, argument } = params;
  if (!isRecord(ref) || typeof ref.type !== 'string')
    throw new RpcError(rpcCodes.invalidParams, 'ref must be an object with a type.');
  if (!isRecord(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new RpcError(rpcCodes.invalidParams, 'argument must hold name and value, both strings.');
  }
  const chosen = textValues(isRecord(params.context) ? params.context.arguments : undefined, 'context.arguments');
  const known = ref.type === 'ref/prompt' && typeof ref.name === 'string' && view.prompts.has(ref.name);
  const values = known ? await source.complete(argument.name, argument.value, chosen, call) : [];
  return {
    completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES },
  };
}

/** An optional object of texts, as prompts and completions take. @throws RpcError that names it */
function textValues(value: unknown, name: string): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value) || !Object.values(value).every((item) => typeof item === 'string')) {
    throw new RpcError(rpcCodes.invalidParams, `${name} must be an object of strings.`);
  }
  return value as Record<string, string>;
}

function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new RpcError(rpcCodes.invalidParams, `${name} must be a string.`);
  return value;
}

/** Says whether the tool is misspelt, or only not listed at this URL. */
function toolUnknown(tool: string, view: ToolsetView, args: unknown): RpcError {
  const hidden = entriesOf(view.toolset).find(({ definition }) => definition.name === tool)?.definition;
  const hint = hidden && whyHidden(hidden);
  const similar = hidden ? [] : similarOrAll(tool, view);
  const error = new AppError('tool_unknown', { tool, similar }, hint);
  const next = likelyCall(tool, similar, args, view);
  const { details: _, ...told } = toEnvelope(error, view.toolset.operationNames); // the hint has the names
  return new RpcError(rpcCodes.invalidParams, error.message, { ...told, details: next ? { next } : {} });
}

/** The tool that takes these arguments. One that changes something has to be called so. */
function likelyCall(tool: string, similar: string[], args: unknown, { tools }: ToolsetView): object | undefined {
  const name = similar.find((one) => {
    const { effect, input } = tools.get(one)!.definition;
    return (effect === 'read' || isSameName(one, tool)) && takes(input, args);
  });
  return name === undefined ? undefined : { tool: name, arguments: args };
}

function similarOrAll(tool: string, { tools }: ToolsetView): string[] {
  const similar = similarNames(tool, tools.keys());
  return similar.length > 0 ? similar : [...tools.keys()];
}

function whyHidden({ name, effect, needsAttempt }: ToolDefinition): string {
  if (needsAttempt && effect === 'read')
    return `${name} needs an endpoint that is bound to an attempt: add ?attempt_id= to its address.`;
  return `${name} changes things, and this endpoint was opened with ?readonly=true.`;
}
