import {
  failedTurn,
  interruptedTurn,
  type StreamReader,
  type TurnResult,
  unknownEvent,
} from '../agent/agent-driver.js';
import { errorEntry, type ErrorKind, failureKind } from '../agent/failure.js';
import { type Json, listOf, numberOf, objectOf, textOf } from '../agent/json.js';
import { usageEntry } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';
import { toolEntries, toolResultEntry } from './claude-tools.js';

interface ClaudeEnd {
  entries: NormalizedEntry[];
  result: TurnResult;
}

/** The last event. Its subtype is success even when the model server refused everything; `is_error` and the denials
 *  tell. */
function claudeEnd(message: Json, hasWorked: boolean, limit: string): ClaudeEnd {
  const usage = claudeUsage(message);
  const denials = listOf(message.permission_denials)
    .map(objectOf)
    .map(({ tool_name }) => textOf(tool_name));
  if (isInterrupted(message)) return { entries: usage, result: interruptedTurn };
  if (message.is_error === true || message.subtype !== 'success') {
    const text =
      [textOf(message.result), ...listOf(message.errors).map(textOf)].filter(Boolean).join('\n') ||
      textOf(message.subtype);
    const status = numberOf(message.api_error_status);
    return failed(usage, failureKind(text, status), text, `${text}\nstatus ${status ?? 'unknown'}\n${limit}`);
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

/** Only the terminal reason tells an interrupt from an error. */
function isInterrupted({ subtype, terminal_reason }: Json): boolean {
  return subtype === 'error_during_execution' && textOf(terminal_reason).startsWith('aborted');
}

function failed(entries: NormalizedEntry[], kind: ErrorKind, message: string, said = message): ClaudeEnd {
  return { entries: [...entries, errorEntry(kind, message)], result: failedTurn({ kind, message }, said) };
}

/** What a rejection by a limit tells, in the words of other agents. */
function limitOf({ rate_limit_info }: Json): string {
  const { status, resetsAt } = objectOf(rate_limit_info);
  return status === 'rejected' ? `usage limit, resets at ${numberOf(resetsAt) ?? 'an unknown time'}` : '';
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

/** Messages that are not about the work. */
const NOISE = new Set(['control_request', 'control_response', 'control_cancel_request', 'stream_event', 'keep_alive']);
const NOISY_SYSTEM = new Set(['init', 'thinking_tokens', 'status']);
/** Model name of messages that the program itself writes, such as the text of an error. */
const NO_MODEL = '<synthetic>';

/** Reads the stream of Claude Code: one line a content block, so nothing has to be held back. */
export class ClaudeReader implements StreamReader {
  private sessionId: string | null = null;
  private answer: string | null = null;
  private hasWorked = false;
  private limit = '';
  private end: TurnResult | null = null;

  read(message: Json): NormalizedEntry[] {
    this.sessionId ??= textOf(message.session_id) || null;
    switch (message.type) {
      case 'system':
        return this.system(message);
      case 'assistant':
        return this.blocks(message).flatMap((block) => this.said(block, message));
      case 'user':
        return this.blocks(message).flatMap((block) => this.returned(block, message));
      case 'rate_limit_event':
        this.limit = limitOf(message);
        return [];
      case 'result':
        return this.ended(message);
      default:
        return NOISE.has(textOf(message.type)) ? [] : [unknownEvent(message)];
    }
  }

  flush(): NormalizedEntry[] {
    return [];
  }

  get finalMessage(): string | null {
    return this.answer;
  }

  get agentSessionId(): string | null {
    const isLost = this.end?.status === 'failed' && this.end.kind === 'session_lost';
    return isLost ? null : this.sessionId;
  }

  get result(): TurnResult | null {
    return this.end;
  }

  private system(message: Json): NormalizedEntry[] {
    if (message.subtype === 'api_retry') return [retryEntry(message)];
    return NOISY_SYSTEM.has(textOf(message.subtype)) ? [] : [unknownEvent(message)];
  }

  private blocks(message: Json): Json[] {
    const { content } = objectOf(message.message);
    return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf);
  }

  private said(block: Json, message: Json): NormalizedEntry[] {
    const parent = parentOf(message);
    switch (block.type) {
      case 'thinking':
        return entry('thinking', textOf(block.thinking), parent);
      case 'tool_use':
        return toolEntries(block, parent);
      case 'text':
        return objectOf(message.message).model === NO_MODEL
          ? entry('system_message', textOf(block.text), parent)
          : this.answered(textOf(block.text), parent);
      default:
        return [unknownEvent(block)];
    }
  }

  /** What a subagent says is no answer to the prompt. */
  private answered(text: string, parent: Json): NormalizedEntry[] {
    if (text.trim() !== '' && parent.parent_tool_call === undefined) this.answer = text.trim();
    return entry('assistant_message', text, parent);
  }

  private returned(block: Json, message: Json): NormalizedEntry[] {
    const parent = parentOf(message);
    if (block.type === 'text') return entry('system_message', textOf(block.text), { ...parent, kind: 'agent_note' });
    if (block.type !== 'tool_result') return [unknownEvent(block)];
    this.hasWorked ||= block.is_error !== true;
    return [toolResultEntry(block, parent)];
  }

  private ended(message: Json): NormalizedEntry[] {
    const { entries, result } = claudeEnd(message, this.hasWorked, this.limit);
    this.end = result;
    if (result.status === 'completed') this.answer = textOf(message.result).trim() || this.answer;
    return entries;
  }
}

function parentOf(message: Json): Json {
  const parent_tool_call = textOf(message.parent_tool_use_id);
  return parent_tool_call === '' ? {} : { parent_tool_call };
}

function entry(
  type: 'thinking' | 'assistant_message' | 'system_message',
  content: string,
  metadata: Json,
): NormalizedEntry[] {
  if (content.trim() === '') return [];
  return [Object.keys(metadata).length === 0 ? { type, content } : { type, content, metadata }];
}

function retryEntry({ attempt, max_retries, error_status, error, retry_delay_ms }: Json): NormalizedEntry {
  const why = numberOf(error_status) ?? (textOf(error) || 'no answer');
  const delay_ms = Math.round(numberOf(retry_delay_ms) ?? 0);
  return {
    type: 'system_message',
    content: `retrying ${numberOf(attempt) ?? '?'}/${numberOf(max_retries) ?? '?'}, ${why}`,
    metadata: { kind: 'retry', delay_ms, status: numberOf(error_status) },
  };
}
