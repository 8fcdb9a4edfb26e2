import { AppError } from '../../platform/errors/app-error.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import { isRecord } from '../../platform/fields/normalise.js';
import { promptText } from '../catalogue/loop-prompt.js';
import { entriesOf } from '../catalogue/published-tool.js';
import type { ToolsetView } from '../catalogue/toolset-catalogue.js';
import type { CallContext } from '../tool.js';
import type { ToolCalls, ToolOutcome } from '../tool-invoker.js';
import { RpcError, rpcCodes } from './json-rpc.js';
import { similarNames } from './similar-names.js';
import { textValues } from './text-values.js';

type Params = Record<string, unknown>;

/** Result of `tools/call` as JSON. The payload is made a text once and stands in both places.
 *  @throws RpcError at once where the call is malformed */
export function callTool(params: Params, view: ToolsetView, invoker: ToolCalls, context: CallContext): Promise<string> {
  const name = textParam(params, 'name');
  if (!view.tools.has(name) && !view.withheld.has(name)) throw toolUnknown(name, view);
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

function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new RpcError(rpcCodes.invalidParams, `${name} must be a string.`);
  return value;
}

/** Says whether the tool is misspelt, or only not listed at this URL. */
function toolUnknown(tool: string, view: ToolsetView): RpcError {
  const hidden = entriesOf(view.toolset).find(({ definition }) => definition.name === tool)?.definition;
  const hint =
    hidden &&
    (hidden.needsAttempt && hidden.effect === 'read'
      ? `${tool} needs an endpoint that is bound to an attempt: add ?attempt_id= to its address.`
      : `${tool} changes things, and this endpoint was opened with ?readonly=true.`);
  const similar = similarNames(tool, view.tools.keys());
  const error = new AppError(
    'tool_unknown',
    { tool, similar: similar.length ? similar : [...view.tools.keys()] },
    hint,
  );
  return new RpcError(rpcCodes.invalidParams, error.message, toEnvelope(error, view.toolset.operationNames));
}
