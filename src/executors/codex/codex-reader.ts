import { unknownEvent, type StreamReader, type TurnResult } from '../agent/agent-driver.js';
import { errorEntry, failureSummary, type Failure } from '../agent/failure.js';
import { HeldText } from '../agent/held-text.js';
import { listOf, objectOf, textOf, type Json } from '../agent/json.js';
import { planEntry } from '../agent/plan.js';
import type { NormalizedEntry } from '../log-entry.js';
import { codexFailure, retryEntry } from './codex-failure.js';
import { isTool, reasoningText, toolResult, toolUse } from './codex-items.js';
import { CodexUsage } from './codex-usage.js';

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

  flush(): NormalizedEntry[] {
    return this.text.flush();
  }

  fail({ kind, message }: Failure): NormalizedEntry[] {
    this.end = { status: 'failed', kind, summary: failureSummary(kind, message) };
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

  /** Pieces are held until the message is complete, so that a stream that is cut loses none. */
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
    else if (turn.status === 'interrupted') this.end = { status: 'failed', kind: null, summary: 'interrupted' };
    else open.push(...this.fail(codexFailure(objectOf(turn.error))));
    return open;
  }
}
