import type { OutputLine } from '../../platform/process/process-types.js';
import { localized } from '../agent/entry-text.js';
import { objectOf, parseObject, type Json } from '../agent/json.js';
import { LineJoiner } from '../agent/line-joiner.js';
import { Once } from '../agent/once.js';
import type { PermissionPolicy } from '../agent/permission-policy.js';
import type { AgentIo, Conversation, Turn } from '../executor.js';
import {
  answeredMethod,
  notification,
  refusal,
  reply,
  requestMessage,
  type AcpMethod,
  type AcpRequest,
} from './acp-messages.js';
import { AcpOpening } from './acp-opening.js';
import { allowing, permissionRequest, rejecting, withdrawing } from './acp-permission.js';
import { variantOf, type AcpProfile } from './acp-profile.js';

/** One turn with an agent of the Agent Client Protocol: greet, open the session, prompt, answer its requests, say goodbye. */
export class AcpConversation implements Conversation {
  private readonly joiner = new LineJoiner();
  private readonly opening: AcpOpening;
  private readonly policy: PermissionPolicy;
  private readonly unanswered = new Set<unknown>();
  private readonly ended = new Once();
  private io: AgentIo | null = null;
  private hasPrompted = false;
  private isCancelled = false;

  constructor(
    private readonly turn: Turn,
    private readonly profile: AcpProfile,
  ) {
    this.opening = new AcpOpening(turn, profile);
    this.policy = variantOf(profile, turn.variant).permissions ?? 'allow';
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
    else if (message.method === 'session/update') this.opening.updated();
    else if (typeof message.method === 'string' && message.id !== undefined)
      this.serve(message.id, message.method, objectOf(message.params));
  }

  /** Before the prompt there is no turn to cancel: the agent ends when its input is closed. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    if (!this.hasPrompted || this.ended.hasHappened) return this.end();
    for (const id of this.unanswered) this.answer(id, withdrawing());
    this.io?.send(notification('session/cancel', { sessionId: this.opening.sessionName }));
    await this.ended.happened;
  }

  private goOn(method: AcpMethod, answer: Json): void {
    const request = this.isCancelled ? null : this.opening.next(method, answer);
    if (request === null) this.end();
    else this.request(request);
  }

  private request(request: AcpRequest): void {
    this.hasPrompted ||= request.method === 'session/prompt';
    this.io?.send(requestMessage(request));
  }

  private serve(id: unknown, method: string, params: Json): void {
    if (method === 'session/request_permission') this.permit(id, params);
    else this.io?.send(refusal(id, method));
  }

  private permit(id: unknown, params: Json): void {
    this.unanswered.add(id);
    if (this.isCancelled) return this.answer(id, withdrawing());
    if (this.policy !== 'ask') return this.answer(id, this.policy === 'allow' ? allowing(params) : rejecting(params));
    this.io!.decide(localized(permissionRequest(params), this.turn.cwd)).then(
      ({ allow }) => this.answer(id, allow ? allowing(params) : rejecting(params)),
      () => this.answer(id, rejecting(params)),
    );
  }

  /** A request is answered once: a decision may come after a cancel. */
  private answer(id: unknown, result: Json): void {
    if (this.unanswered.delete(id)) this.io?.send(reply(id, result));
  }

  private end(): void {
    if (this.ended.hasHappened) return;
    this.ended.happen();
    const pauseMs = this.isCancelled ? 0 : (this.profile.writes_on_ms ?? 0);
    if (pauseMs === 0) this.io?.closeInput();
    else setTimeout(() => this.io?.closeInput(), pauseMs);
  }
}
