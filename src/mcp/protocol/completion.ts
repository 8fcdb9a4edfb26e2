import { isRecord } from '../../platform/fields/normalise.js';
import type { ToolsetView } from '../catalogue/toolset-catalogue.js';
import type { CompletionSource } from '../completion-source.js';
import type { CallContext } from '../tool.js';
import { RpcError, rpcCodes } from './json-rpc.js';
import { textValues } from './text-values.js';

/** The protocol's cap on the values of one answer. */
const MAX_VALUES = 100;

interface CompletionResult {
  completion: { values: string[]; total: number; hasMore: boolean };
}

/** Values for an argument of a prompt. What the toolset does not know completes to nothing, it is no error. */
export async function complete(
  params: Record<string, unknown>,
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
