import type { OutputLine } from '../../platform/process/process-types.js';
import { localized } from '../agent/entry-text.js';
import { objectOf, parseObject, textOf, type Json } from '../agent/json.js';
import { LineJoiner } from '../agent/line-joiner.js';
import { Once } from '../agent/once.js';
import type { AgentIo, Conversation, PermissionRequest, Turn } from '../executor.js';
import { isTool, toolUse } from './codex-items.js';
import { answeredMethod, requestMessage, type CodexMethod, type CodexRequest } from './codex-messages.js';
import { CodexOpening } from './codex-opening.js';
import { codexVariant } from './codex-settings.js';

const METHOD_NOT_FOUND = -32601;
/** Requests that are answered with a decision: `accept` or `decline`. */
const approvals: Record<string, string> = {
  'item/commandExecution/requestApproval': 'command',
  'item/fileChange/requestApproval': 'file_change',
};

/** One turn over the app server: greet, open the thread, start the turn, answer its requests, say goodbye. */
export class CodexConversation implements Conversation {
  private readonly joiner = new LineJoiner();
  private readonly opening: CodexOpening;
  private readonly ended = new Once();
  private readonly calls = new Map<string, Pick<PermissionRequest, 'summary' | 'input'>>();
  private io: AgentIo | null = null;
  private isCancelled = false;
  private hasInterrupted = false;
  private hasAskedForTurn = false;

  constructor(private readonly turn: Turn) {
    this.opening = new CodexOpening(turn);
  }

  open(io: AgentIo): void {
    this.io = io;
    this.request(this.opening.start());
  }

  hear(line: OutputLine): void {
    const text = this.joiner.push(line);
    const message = text === null ? null : parseObject(text);
    if (message === null || this.io === null) return;
    const answered = answeredMethod(message);
    if (answered !== null) this.goOn(answered, message);
    else if (message.id !== undefined) this.serve(message.id, textOf(message.method), objectOf(message.params));
    else if (message.method === 'turn/completed') this.end();
    else if (message.method === 'item/started') this.remember(objectOf(objectOf(message.params).item));
  }

  /** Before a turn was asked for there is nothing to interrupt: the agent ends when its input is closed. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    if (!this.hasAskedForTurn || this.ended.hasHappened) return this.end();
    this.interrupt();
    await this.ended.happened;
  }

  private goOn(method: CodexMethod, answer: Json): void {
    if (this.ended.hasHappened) return;
    if (method === 'initialize' && answer.error === undefined) this.io!.send({ method: 'initialized' });
    const request = this.opening.next(method, answer);
    if (this.opening.failure !== null) return this.end();
    if (request !== null) this.request(request);
    else if (this.isCancelled) this.interrupt();
  }

  private request(request: CodexRequest): void {
    this.hasAskedForTurn ||= request.method === 'turn/start';
    this.io!.send(requestMessage(request));
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
      return this.io!.send({ id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
    const answer = (allow: boolean): void => {
      if (!this.ended.hasHappened) this.io!.send({ id, result: { decision: allow ? 'accept' : 'decline' } });
    };
    const { permissions } = codexVariant(this.turn.variant);
    if (permissions !== 'ask') return answer(permissions === 'allow');
    const request = { ...permissionRequest(tool, params), ...this.calls.get(textOf(params.itemId)) };
    this.io!.decide(localized(request, this.turn.cwd)).then(
      ({ allow }) => answer(allow),
      () => answer(false),
    );
  }

  /** Requests do not tell which files they are about; the call before them does. */
  private remember(item: Json): void {
    if (!isTool(item)) return;
    const { content, metadata } = toolUse(item);
    this.calls.set(textOf(item.id), { summary: content, input: objectOf(metadata?.input) });
  }

  private end(): void {
    if (this.ended.hasHappened) return;
    this.ended.happen();
    this.io?.closeInput();
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
