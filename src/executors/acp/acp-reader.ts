import {
  failedTurn,
  interruptedTurn,
  type StreamReader,
  type TurnResult,
  unknownEvent,
} from '../agent/agent-driver.js';
import { errorEntry, type Failure, failureKind } from '../agent/failure.js';
import { HeldText } from '../agent/held-text.js';
import { type Json, listOf, numberOf, objectOf, textOf } from '../agent/json.js';
import { planEntry } from '../agent/plan.js';
import { type Usage, usageEntry } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';
import { acpFailure } from './acp-messages.js';
import { AcpToolCalls } from './acp-tool-calls.js';

/** Tokens of a turn: reported with the answer to the prompt, in its metadata, or in pieces before. */
export class AcpUsage {
  private input: number | null = null;
  private output: number | null = null;
  private cached: number | null = null;
  private context: Pick<Usage, 'context_tokens' | 'context_window' | 'cost_usd' | 'cost_is_cumulative'> = {};

  /** `usage_update`: how full the context is. */
  update(update: Json): void {
    const cost = objectOf(update.cost);
    const amount = textOf(cost.currency) === 'USD' ? numberOf(cost.amount) : null;
    this.context = {
      context_tokens: numberOf(update.used) ?? undefined,
      context_window: numberOf(update.size) ?? undefined,
      ...(amount === null ? this.cost : { cost_usd: amount, cost_is_cumulative: true }),
    };
  }

  private get cost(): Pick<Usage, 'cost_usd' | 'cost_is_cumulative'> {
    const { cost_usd, cost_is_cumulative } = this.context;
    return { cost_usd, cost_is_cumulative };
  }

  /** Some agents hang the tokens of each model call on a piece of text. */
  piece(update: Json): void {
    const usage = objectOf(objectOf(update._meta).usage);
    this.input = more(this.input, numberOf(usage.inputTokens));
    this.output = more(this.output, numberOf(usage.outputTokens));
    this.cached = more(this.cached, numberOf(usage.cachedReadTokens));
  }

  /** The answer to the prompt replaces earlier counts. */
  ended(result: Json): NormalizedEntry[] {
    const usage = objectOf(result.usage);
    const quota = objectOf(objectOf(objectOf(result._meta).quota).token_count);
    this.input = numberOf(usage.inputTokens) ?? numberOf(quota.input_tokens) ?? this.input;
    this.output = numberOf(usage.outputTokens) ?? numberOf(quota.output_tokens) ?? this.output;
    this.cached = numberOf(usage.cachedReadTokens) ?? this.cached;
    return this.entries();
  }

  private entries(): NormalizedEntry[] {
    const isCounted = (this.input ?? 0) + (this.output ?? 0) > 0;
    if (!isCounted && this.context.context_tokens === undefined) return [];
    return [
      usageEntry({
        input_tokens: this.input ?? undefined,
        output_tokens: this.output ?? undefined,
        cached_input_tokens: this.cached ?? undefined,
        ...this.context,
      }),
    ];
  }

  /** Whether no model call was reported. */
  get isNone(): boolean {
    return (this.output ?? 0) === 0;
  }
}

const more = (before: number | null, said: number | null): number | null =>
  said === null ? before : (before ?? 0) + said;

/** About the session, not about the work. */
const NOISE = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
]);
/** Requests for capabilities we do not offer; the agent then does it itself. */
const DECLINED = /^(fs|terminal)\//;
const looksLikeError = /^\s*(\[?API Error|\w*Error\b)/;
const looksLikeRetry = /^Info: .*\bretrying\b/is;

/** Reads what an agent of the Agent Client Protocol reports of one turn. */
export class AcpReader implements StreamReader {
  private readonly text = new HeldText();
  private readonly calls = new AcpToolCalls();
  private readonly usage = new AcpUsage();
  /** A piece that reads like an error of the model server, and what follows it. */
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
    this.end = failedTurn({ kind, message });
    return [errorEntry(kind, message)];
  }

  flush(goesOn?: boolean): NormalizedEntry[] {
    return [...this.text.flush(goesOn), ...this.calls.announceFilledIn()];
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
      this.end = interruptedTurn;
      return [];
    }
    if (reason !== 'end_turn')
      return this.fail({ kind: 'model_error', message: `stopped: ${reason || 'without a reason'}` });
    if (this.calls.isAllDenied) return this.fail({ kind: 'denied', message: 'no tool call was allowed' });
    // Some agents report success when the model server refused them; the refusal is then their only text.
    if (this.calls.count === 0 && this.usage.isNone && this.complaint !== '')
      return this.fail({ kind: failureKind(this.complaint), message: this.complaint });
    this.end = { status: 'completed' };
    return [];
  }

  private close(): NormalizedEntry[] {
    return [...this.text.close(), ...this.calls.announceAll()];
  }
}
