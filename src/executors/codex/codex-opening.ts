import type { PermissionPolicy } from '../agent/agent-input.js';
import { promptText } from '../agent/earlier-turns.js';
import { type Failure, failureKind } from '../agent/failure.js';
import { type Json, objectOf, textOf } from '../agent/json.js';
import { type Turn, variantSettings } from '../executor.js';

export const CODEX = 'CODEX';

export interface CodexVariant {
  sandbox: 'danger-full-access' | 'workspace-write' | 'read-only';
  approvalPolicy: 'never' | 'untrusted';
  permissions: PermissionPolicy;
  model?: string;
  effort?: 'high' | 'xhigh';
}

/** Without its own sandbox, which needs user namespaces and hides the git folder of a worktree. */
const unattended = { sandbox: 'danger-full-access', approvalPolicy: 'never', permissions: 'allow' } as const;

export const codexVariants: Readonly<Record<string, CodexVariant>> = {
  DEFAULT: unattended,
  PLAN: { sandbox: 'read-only', approvalPolicy: 'never', permissions: 'refuse' },
  APPROVALS: { sandbox: 'workspace-write', approvalPolicy: 'untrusted', permissions: 'ask' },
  HIGH: { ...unattended, effort: 'high' },
  XHIGH: { ...unattended, effort: 'xhigh' },
  CODEX: { ...unattended, model: 'gpt-5.2-codex' },
  MAX: { ...unattended, model: 'gpt-5.1-codex-max' },
};

/** @throws AppError variant_unknown */
export const codexVariant = (name: string | null): CodexVariant => variantSettings(CODEX, codexVariants, name);

/** Our requests have fixed ids, so that an answer alone shows its request. They have no `jsonrpc`. */
const requestIds = {
  initialize: 1,
  'thread/start': 2,
  'thread/resume': 3,
  'turn/start': 4,
  'turn/interrupt': 5,
} as const;
export type CodexMethod = keyof typeof requestIds;

export interface CodexRequest {
  method: CodexMethod;
  params: Json;
}
export const requestMessage = ({ method, params }: CodexRequest): Json => ({ id: requestIds[method], method, params });

/** Which of our requests a message answers; null if it answers none. */
export function answeredMethod(message: Json): CodexMethod | null {
  if (message.method !== undefined || message.id === undefined) return null;
  return (Object.keys(requestIds) as CodexMethod[]).find((method) => requestIds[method] === message.id) ?? null;
}

/** From the greeting to the turn: which request follows which answer. */
export class CodexOpening {
  threadId: string | null = null;
  turnId: string | null = null;
  /** Why the thread of earlier turns could not be resumed, or null. */
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
