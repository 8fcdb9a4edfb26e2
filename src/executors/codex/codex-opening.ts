import { failureKind, type Failure } from '../agent/failure.js';
import { objectOf, textOf, type Json } from '../agent/json.js';
import { promptText } from '../agent/earlier-turns.js';
import type { Turn } from '../executor.js';
import type { CodexMethod, CodexRequest } from './codex-messages.js';
import type { CodexVariant } from './codex-settings.js';

/** From the greeting to the turn: which request follows which answer. */
export class CodexOpening {
  threadId: string | null = null;
  turnId: string | null = null;
  /** Why the thread of earlier turns is gone, where one was to be resumed. */
  lost: string | null = null;
  failure: Failure | null = null;

  constructor(
    private readonly turn: Turn,
    private readonly variant: CodexVariant,
  ) {}

  start(): CodexRequest {
    return { method: 'initialize', params: { clientInfo: { name: 'taskyard', title: 'Taskyard', version: '1' } } };
  }

  /** The request that follows an answer; null when nothing does. */
  next(method: CodexMethod, answer: Json): CodexRequest | null {
    const failed = answer.error !== undefined;
    switch (method) {
      case 'initialize':
        return failed ? this.fail(answer) : this.openThread();
      case 'thread/resume':
        return failed ? this.lose(answer) : this.opened(answer);
      case 'thread/start':
        return failed ? this.fail(answer) : this.opened(answer);
      case 'turn/start':
        return failed ? this.fail(answer) : this.started(answer);
      case 'turn/interrupt':
        return null;
    }
  }

  private openThread(): CodexRequest {
    const threadId = this.turn.agent_session_id;
    if (threadId === null || this.lost !== null) return { method: 'thread/start', params: this.settings() };
    return { method: 'thread/resume', params: { threadId, excludeTurns: true, ...this.settings() } };
  }

  private settings(): Json {
    const { sandbox, approvalPolicy, model } = this.variant;
    return { cwd: this.turn.cwd, sandbox, approvalPolicy, ...(model !== undefined && { model }) };
  }

  private opened(answer: Json): CodexRequest | null {
    this.threadId = textOf(objectOf(objectOf(answer.result).thread).id) || null;
    if (this.threadId === null) return this.fail({ error: { message: 'a thread without an id' } });
    const { effort } = this.variant;
    return {
      method: 'turn/start',
      params: { threadId: this.threadId, input: this.input(), ...(effort !== undefined && { effort }) },
    };
  }

  private input(): Json[] {
    return [{ type: 'text', text: promptText(this.turn, this.lost !== null) }];
  }

  private started(answer: Json): null {
    this.turnId = textOf(objectOf(objectOf(answer.result).turn).id) || null;
    return null;
  }

  private lose(answer: Json): CodexRequest {
    this.lost = messageOf(answer);
    return this.openThread();
  }

  private fail(answer: Json): null {
    const message = messageOf(answer);
    this.failure = { kind: failureKind(message, null, 'protocol'), message };
    return null;
  }
}

const messageOf = (answer: Json): string => textOf(objectOf(answer.error).message) || 'error without a message';
