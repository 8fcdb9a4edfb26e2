import { unknownEvent, type StreamReader, type TurnResult } from '../agent/agent-driver.js';
import { errorEntry, failureKind, failureSummary, type Failure } from '../agent/failure.js';
import { HeldText } from '../agent/held-text.js';
import { listOf, objectOf, textOf, type Json } from '../agent/json.js';
import { planEntry } from '../agent/plan.js';
import type { NormalizedEntry } from '../log-entry.js';
import { acpFailure } from './acp-error.js';
import { AcpToolCalls } from './acp-tool-calls.js';
import { AcpUsage } from './acp-usage.js';

/** About the session, not about the work. */
const NOISE = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
]);
/** Asked for although not offered; the agent then does it itself. */
const DECLINED = /^(fs|terminal)\//;
const looksLikeError = /^\s*(\[?API Error|\w*Error\b)/;
const looksLikeRetry = /^Info: .*\bretrying\b/is;

/** Reads what an agent of the Agent Client Protocol reports of one turn. */
export class AcpReader implements StreamReader {
  private readonly text = new HeldText();
  private readonly calls = new AcpToolCalls();
  private readonly usage = new AcpUsage();
  /** A piece that reads like the error of the model server, and what came after it. */
  private complaint = '';
  private end: TurnResult | null = null;

  read(message: Json): NormalizedEntry[] {
    const params = objectOf(message.params);
    if (message.method === 'session/update') return this.updated(objectOf(params.update), message);
    if (message.method === 'session/request_permission')
      return [...this.text.close(), ...this.calls.asked(objectOf(params.toolCall))];
    return DECLINED.test(textOf(message.method)) ? [] : [...this.close(), unknownEvent(message)];
  }

  /** The answer to the prompt: the turn is over. */
  ended(answer: Json): NormalizedEntry[] {
    const open = [...this.close(), ...this.calls.closeAll()];
    const failure = acpFailure(answer);
    if (failure !== null) return [...open, ...this.usage.ended({}), ...this.fail(failure)];
    const result = objectOf(answer.result);
    return [...open, ...this.usage.ended(result), ...this.stopped(textOf(result.stopReason))];
  }

  fail({ kind, message }: Failure): NormalizedEntry[] {
    this.end = { status: 'failed', kind, summary: failureSummary(kind, message) };
    return [errorEntry(kind, message)];
  }

  flush(): NormalizedEntry[] {
    return [...this.text.flush(), ...this.calls.announceFilledIn()];
  }

  get finalMessage(): string | null {
    return this.text.lastMessage.trim() || null;
  }

  get result(): TurnResult | null {
    return this.end;
  }

  private updated(update: Json, message: Json): NormalizedEntry[] {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.spoken('assistant_message', update);
      case 'agent_thought_chunk':
        return this.spoken('thinking', update);
      case 'tool_call':
      case 'tool_call_update':
        return [...this.text.close(), ...this.calls.update(update)];
      case 'plan':
        return [
          ...this.close(),
          planEntry(
            listOf(update.entries)
              .map(objectOf)
              .map(({ content, status }) => ({ content: textOf(content), status: textOf(status) })),
          ),
        ];
      case 'usage_update':
        this.usage.update(update);
        return [];
      default:
        return NOISE.has(textOf(update.sessionUpdate)) ? [] : [...this.close(), unknownEvent(message)];
    }
  }

  private spoken(type: 'assistant_message' | 'thinking', update: Json): NormalizedEntry[] {
    this.usage.piece(update);
    const content = objectOf(update.content);
    const piece = content.type === 'text' ? textOf(content.text) : `[${textOf(content.type) || 'content'}]`;
    if (looksLikeRetry.test(piece))
      return [
        ...this.close(),
        {
          type: 'system_message',
          content: `retrying: ${piece.trim().slice('Info: '.length)}`,
          metadata: { kind: 'retry' },
        },
      ];
    if (this.complaint !== '' || looksLikeError.test(piece)) this.complaint += piece;
    return piece === '' ? [] : [...this.calls.announceAll(), ...this.text.add(type, piece)];
  }

  private stopped(reason: string): NormalizedEntry[] {
    if (reason === 'cancelled') {
      this.end = { status: 'failed', kind: null, summary: 'interrupted' };
      return [];
    }
    if (reason !== 'end_turn')
      return this.fail({ kind: 'model_error', message: `stopped: ${reason || 'without a reason'}` });
    if (this.calls.isAllDenied) return this.fail({ kind: 'denied', message: 'no tool call was allowed' });
    // Some agents end the turn well when the model server refused them: the refusal is then all they say.
    if (this.calls.count === 0 && this.usage.isNone && this.complaint !== '')
      return this.fail({ kind: failureKind(this.complaint), message: this.complaint });
    this.end = { status: 'completed' };
    return [];
  }

  private close(): NormalizedEntry[] {
    return [...this.text.close(), ...this.calls.announceAll()];
  }
}
