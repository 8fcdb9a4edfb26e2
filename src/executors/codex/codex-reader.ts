import {
  failedTurn,
  interruptedTurn,
  type StreamReader,
  type TurnResult,
  unknownEvent,
} from '../agent/agent-driver.js';
import { errorEntry, type ErrorKind, type Failure, failureKind } from '../agent/failure.js';
import { HeldText } from '../agent/held-text.js';
import { isObject, type Json, listOf, numberOf, objectOf, textOf } from '../agent/json.js';
import { planEntry } from '../agent/plan.js';
import { usageEntry } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';
import { isTool, reasoningText, toolResult, toolUse } from './codex-items.js';

const named: Record<string, ErrorKind> = {
  unauthorized: 'bad_key',
  usageLimitExceeded: 'rate_limited',
  rateLimitExceeded: 'rate_limited',
  serverOverloaded: 'rate_limited',
  tooManyDenials: 'denied',
};

/** The kind of a turn's error: by name, by the status of the model server, or by its text. */
function codexFailure(error: Json): Failure & { said: string } {
  const info = error.codexErrorInfo;
  const status = isObject(info)
    ? (Object.values(info)
        .map((one) => numberOf(objectOf(one).httpStatusCode))
        .find((one) => one !== null) ?? null)
    : null;
  const message = messageOf(error);
  const byText = failureKind(message, status);
  const name = textOf(info);
  const said = [message, name, status === null ? '' : `status ${status}`].filter(Boolean).join('\n');
  return { kind: byText === 'model_error' ? (named[name] ?? byText) : byText, message, said };
}

const messageOf = (error: Json): string =>
  [textOf(error.message), textOf(error.additionalDetails)].filter(Boolean).join('\n') || 'error without a message';

/** `Reconnecting... 2/5` → `retrying 2/5`, with the status where there is one. */
function retryEntry(error: Json): NormalizedEntry {
  const said = messageOf(error);
  const [count] = /\d+\/\d+/.exec(said) ?? [''];
  const [status] = /\b[45]\d\d\b/.exec(`${said} ${JSON.stringify(error.codexErrorInfo ?? '')}`) ?? [''];
  return {
    type: 'system_message',
    content: [`retrying ${count}`.trim(), status].filter(Boolean).join(', '),
    metadata: { kind: 'retry', message: said },
  };
}

/** Codex counts for the whole thread: what this turn cost is the difference to the count before it. */
class CodexUsage {
  private before: Json = {};
  private total: Json = {};
  private last: Json = {};

  updated(params: Json): void {
    const usage = objectOf(params.tokenUsage);
    [this.total, this.last] = [objectOf(usage.total), { ...objectOf(usage.last), window: usage.modelContextWindow }];
  }

  turnStarted(): void {
    this.before = this.total;
  }

  entries(): NormalizedEntry[] {
    const spent = (name: string): number => (numberOf(this.total[name]) ?? 0) - (numberOf(this.before[name]) ?? 0);
    if (spent('inputTokens') + spent('outputTokens') <= 0) return [];
    return [
      usageEntry({
        input_tokens: spent('inputTokens'),
        output_tokens: spent('outputTokens'),
        cached_input_tokens: spent('cachedInputTokens'),
        context_tokens: numberOf(this.last.totalTokens) ?? undefined,
        context_window: numberOf(this.last.window) ?? undefined,
      }),
    ];
  }
}

/** About the thread or the account, or repeated by another event. */
const NOISE = [
  /^(thread|account|remoteControl|serverRequest|skills|app|mcpServer|hook|windows|fs|model)\b/,
  /^(turn\/diff|turn\/started|item\/(reasoning|commandExecution|fileChange|plan|mcpToolCall))\b/,
];
const NOTES = new Set(['warning', 'configWarning', 'deprecationNotice', 'guardianWarning']);

/** Reads what the app server of Codex reports of one turn. */
export class CodexReader implements StreamReader {
  private readonly text = new HeldText();
  private readonly usage = new CodexUsage();
  private readonly streamed = new Set<string>();
  private readonly results = new Set<string>();
  private answer: string | null = null;
  private end: TurnResult | null = null;

  read(message: Json): NormalizedEntry[] {
    const params = objectOf(message.params);
    switch (message.method) {
      case 'item/started':
        return this.started(objectOf(params.item));
      case 'item/completed':
        return this.completed(objectOf(params.item));
      case 'item/agentMessage/delta':
        return this.delta(textOf(params.itemId), textOf(params.delta));
      case 'turn/plan/updated':
        return [
          ...this.text.close(),
          planEntry(
            listOf(params.plan)
              .map(objectOf)
              .map(({ step, status }) => ({ content: textOf(step), status: textOf(status) })),
          ),
        ];
      case 'thread/tokenUsage/updated':
        this.usage.updated(params);
        return [];
      case 'turn/started':
        this.usage.turnStarted();
        return [];
      case 'error':
        return params.willRetry === true ? [...this.text.close(), retryEntry(objectOf(params.error))] : [];
      case 'turn/completed':
        return this.ended(objectOf(params.turn));
      default:
        return this.other(textOf(message.method), params, message);
    }
  }

  flush(goesOn?: boolean): NormalizedEntry[] {
    return this.text.flush(goesOn);
  }

  fail({ kind, message, said }: Failure & { said?: string }): NormalizedEntry[] {
    this.end = failedTurn({ kind, message }, said);
    return [errorEntry(kind, message)];
  }

  get finalMessage(): string | null {
    return this.answer ?? (this.text.lastMessage.trim() || null);
  }

  get result(): TurnResult | null {
    return this.end;
  }

  private other(method: string, params: Json, message: Json): NormalizedEntry[] {
    if (NOTES.has(method))
      return [
        ...this.text.close(),
        {
          type: 'system_message',
          content: textOf(params.message) || textOf(params.summary),
          metadata: { kind: 'agent_note', priority: 'low' },
        },
      ];
    return NOISE.some((noise) => noise.test(method)) ? [] : [...this.text.close(), unknownEvent(message)];
  }

  private started(item: Json): NormalizedEntry[] {
    return isTool(item) ? [...this.text.close(), toolUse(item)] : [];
  }

  /** Pieces are kept until the message is complete, so that an interrupted stream loses none. */
  private delta(id: string, piece: string): NormalizedEntry[] {
    const done = this.streamed.has(id) ? [] : this.text.close();
    this.streamed.add(id);
    return [...done, ...this.text.add('assistant_message', piece)];
  }

  private completed(item: Json): NormalizedEntry[] {
    if (isTool(item)) return this.toolEnded(item);
    switch (item.type) {
      case 'userMessage':
        return [];
      case 'agentMessage':
        return this.messageCompleted(item);
      case 'reasoning':
        return [
          ...this.text.close(),
          ...(reasoningText(item) === '' ? [] : [{ type: 'thinking' as const, content: reasoningText(item) }]),
        ];
      case 'plan':
        return [...this.text.close(), { type: 'plan', content: textOf(item.text) }];
      default:
        return [...this.text.close(), unknownEvent(item)];
    }
  }

  private toolEnded(item: Json): NormalizedEntry[] {
    this.results.add(textOf(item.status));
    return [...this.text.close(), toolResult(item)];
  }

  private messageCompleted(item: Json): NormalizedEntry[] {
    const content = textOf(item.text);
    this.answer = content.trim() || this.answer;
    if (this.streamed.has(textOf(item.id))) return this.text.close();
    return [...this.text.close(), ...(content.trim() === '' ? [] : [{ type: 'assistant_message' as const, content }])];
  }

  private ended(turn: Json): NormalizedEntry[] {
    const open = [...this.text.close(), ...this.usage.entries()];
    const isAllDenied = this.results.has('declined') && !this.results.has('completed');
    if (turn.status === 'completed' && isAllDenied)
      open.push(...this.fail({ kind: 'denied', message: 'no tool call was allowed' }));
    else if (turn.status === 'completed') this.end = { status: 'completed' };
    else if (turn.status === 'interrupted') this.end = interruptedTurn;
    else open.push(...this.fail(codexFailure(objectOf(turn.error))));
    return open;
  }
}
