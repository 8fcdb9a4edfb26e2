import type { AgentConversation } from '../agent/agent-driver.js';
import { AgentInput } from '../agent/agent-input.js';
import { sessionLost } from '../agent/earlier-turns.js';
import { localized } from '../agent/entry-text.js';
import { objectOf, textOf, type Json } from '../agent/json.js';
import type { AgentIo, PermissionRequest, Turn } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';
import { isTool, toolUse } from './codex-items.js';
import {
  answeredMethod,
  type CodexMethod,
  CodexOpening,
  type CodexRequest,
  type CodexVariant,
  requestMessage,
} from './codex-opening.js';
import { CodexReader } from './codex-reader.js';

const METHOD_NOT_FOUND = -32601;
/** Requests that are answered with a decision: `accept` or `decline`. */
const approvals: Record<string, string> = {
  'item/commandExecution/requestApproval': 'command',
  'item/fileChange/requestApproval': 'file_change',
};

/** One turn over the app server: greet, open the thread, start the turn, answer its requests, close the input. */
export class CodexConversation implements AgentConversation {
  readonly reader = new CodexReader();
  private readonly opening: CodexOpening;
  private readonly input = new AgentInput();
  private readonly calls = new Map<string, Pick<PermissionRequest, 'summary' | 'input'>>();
  private isCancelled = false;
  private hasInterrupted = false;
  private hasAskedForTurn = false;

  constructor(
    private readonly turn: Turn,
    private readonly variant: CodexVariant,
  ) {
    this.opening = new CodexOpening(turn, variant);
  }

  get agentSessionId(): string | null {
    return this.opening.threadId;
  }

  open(io: AgentIo): void {
    this.input.open(io);
    this.request(this.opening.start());
  }

  hear(message: Json): NormalizedEntry[] {
    const answered = answeredMethod(message);
    if (answered !== null) return this.goOn(answered, message);
    if (message.id !== undefined) this.serve(message.id, textOf(message.method), objectOf(message.params));
    else if (message.method === 'turn/completed') this.input.end();
    else if (message.method === 'item/started') this.remember(objectOf(objectOf(message.params).item));
    return this.reader.read(localized(message, this.turn.cwd));
  }

  /** Before the turn starts there is nothing to interrupt; closing the input ends the agent. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    if (!this.hasAskedForTurn) return this.input.end();
    this.interrupt();
    await this.input.ended;
  }

  private goOn(method: CodexMethod, answer: Json): NormalizedEntry[] {
    if (method === 'initialize' && answer.error === undefined) this.input.send({ method: 'initialized' });
    const request = this.opening.next(method, answer);
    const { failure, lost } = this.opening;
    if (failure !== null) {
      this.input.end();
      return this.reader.fail(localized(failure, this.turn.cwd));
    }
    if (request !== null) this.request(request);
    else if (this.isCancelled) this.interrupt();
    return method === 'thread/start' && lost !== null ? [sessionLost(this.turn, localized(lost, this.turn.cwd))] : [];
  }

  private request(request: CodexRequest): void {
    if (this.input.hasEnded) return;
    this.hasAskedForTurn ||= request.method === 'turn/start';
    this.input.send(requestMessage(request));
  }

  /** Possible once the turn has its id; the answer to `turn/start` brings it. */
  private interrupt(): void {
    const { threadId, turnId } = this.opening;
    if (turnId === null || this.hasInterrupted) return;
    this.hasInterrupted = true;
    this.request({ method: 'turn/interrupt', params: { threadId, turnId } });
  }

  private serve(id: unknown, method: string, params: Json): void {
    const tool = approvals[method];
    if (tool === undefined)
      return this.input.send({ id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
    const request = { ...permissionRequest(tool, params), ...this.calls.get(textOf(params.itemId)) };
    this.input.permit(this.variant.permissions, localized(request, this.turn.cwd), ({ allow }) =>
      this.input.send({ id, result: { decision: allow ? 'accept' : 'decline' } }),
    );
  }

  /** Requests do not say which files they are about; the call before them does. */
  private remember(item: Json): void {
    if (!isTool(item)) return;
    const { content, metadata } = toolUse(item);
    this.calls.set(textOf(item.id), { summary: content, input: objectOf(metadata?.input) });
  }
}

function permissionRequest(tool_name: string, params: Json): PermissionRequest {
  const { itemId, command, cwd, reason, grantRoot } = params;
  return {
    tool_call: textOf(itemId) || null,
    tool_name,
    summary: textOf(command) || textOf(reason) || 'change files',
    input: { command, cwd, reason, grant_root: grantRoot },
  };
}
