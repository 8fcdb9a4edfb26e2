import { listOf, objectOf, textOf, type Json } from '../agent/json.js';
import type { PermissionRequest } from '../executor.js';
import { titleOf } from './acp-tool-result.js';

const cancelled = { outcome: { outcome: 'cancelled' } };

/** The mildest option that allows: once rather than always, which some agents write into the user's settings. */
export const allowing = (params: Json): Json => choose(params, ['allow_once', 'allow_always']);
export const rejecting = (params: Json): Json => choose(params, ['reject_once', 'reject_always']);
export const withdrawing = (): Json => cancelled;

export function permissionRequest(params: Json): PermissionRequest {
  const call = objectOf(params.toolCall);
  const [kind, title, input] = [textOf(call.kind), textOf(call.title), objectOf(call.rawInput)];
  const [locations, content] = [listOf(call.locations).map(objectOf), listOf(call.content).map(objectOf)];
  return {
    tool_call: textOf(call.toolCallId) || null,
    tool_name: kind || 'tool',
    summary: titleOf({ title, kind, name: '', input, locations, content }),
    input,
  };
}

function choose(params: Json, kinds: readonly string[]): Json {
  const options = listOf(params.options).map(objectOf);
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  return option === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: option.optionId } };
}
