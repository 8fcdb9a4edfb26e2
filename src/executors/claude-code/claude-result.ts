import type { TurnResult } from '../agent/agent-driver.js';
import { errorEntry, failureKind, failureSummary, type ErrorKind } from '../agent/failure.js';
import { listOf, numberOf, objectOf, textOf, type Json } from '../agent/json.js';
import { usageEntry } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';

export interface ClaudeEnd {
  entries: NormalizedEntry[];
  result: TurnResult;
}

/** The last event. Its subtype says success also when the model server refused everything: `is_error` and the denials
 *  say how it went. */
export function claudeEnd(message: Json, hasWorked: boolean): ClaudeEnd {
  const usage = claudeUsage(message);
  const denials = listOf(message.permission_denials)
    .map(objectOf)
    .map(({ tool_name }) => textOf(tool_name));
  if (isInterrupted(message))
    return { entries: usage, result: { status: 'failed', kind: null, summary: 'interrupted' } };
  if (message.is_error === true || message.subtype !== 'success') {
    const text =
      [textOf(message.result), ...listOf(message.errors).map(textOf)].filter(Boolean).join('\n') ||
      textOf(message.subtype);
    return failed(usage, failureKind(text, numberOf(message.api_error_status)), text);
  }
  if (denials.length === 0) return { entries: usage, result: { status: 'completed' } };
  if (!hasWorked) return failed(usage, 'denied', `no tool call was allowed: ${denials.join(', ')}`);
  return {
    entries: [
      ...usage,
      {
        type: 'system_message',
        content: `Not allowed: ${denials.join(', ')}.`,
        metadata: { kind: 'permission_denials' },
      },
    ],
    result: { status: 'completed' },
  };
}

/** Nothing but the reason of the end tells an interrupt from an error. */
function isInterrupted({ subtype, terminal_reason }: Json): boolean {
  return subtype === 'error_during_execution' && textOf(terminal_reason).startsWith('aborted');
}

function failed(entries: NormalizedEntry[], kind: ErrorKind, text: string): ClaudeEnd {
  return {
    entries: [...entries, errorEntry(kind, text)],
    result: { status: 'failed', kind, summary: failureSummary(kind, text) },
  };
}

function claudeUsage(message: Json): NormalizedEntry[] {
  const usage = objectOf(message.usage);
  const input = numberOf(usage.input_tokens) ?? 0;
  const output = numberOf(usage.output_tokens) ?? 0;
  if (input + output === 0) return [];
  return [
    usageEntry({
      input_tokens: input,
      output_tokens: output,
      cached_input_tokens: numberOf(usage.cache_read_input_tokens) ?? undefined,
      cost_usd: numberOf(message.total_cost_usd) ?? undefined,
    }),
  ];
}
