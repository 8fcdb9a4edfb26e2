import type { AgentConversation } from '../agent/agent-driver.js';
import { AgentInput } from '../agent/agent-input.js';
import { sessionLost } from '../agent/earlier-turns.js';
import { localized } from '../agent/entry-text.js';
import { type Json, listOf, objectOf, textOf } from '../agent/json.js';
import type { AgentIo, PermissionRequest, Turn } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';
import {
  type AcpMethod,
  type AcpRequest,
  answeredMethod,
  notification,
  refusal,
  reply,
  requestMessage,
} from './acp-messages.js';
import { AcpOpening, type OpeningMethod } from './acp-opening.js';
import type { AcpProfile, AcpVariant } from './acp-profiles.js';
import { AcpReader } from './acp-reader.js';
import { titleOf } from './acp-tool-calls.js';

const cancelled = { outcome: { outcome: 'cancelled' } };

/** Allows once rather than always, which some agents write into the user's settings. */
const allowing = (params: Json): Json => choose(params, ['allow_once', 'allow_always']);
const rejecting = (params: Json): Json => choose(params, ['reject_once', 'reject_always']);
const withdrawing = (): Json => cancelled;

function permissionRequest(params: Json): PermissionRequest {
  const call = objectOf(params.toolCall);
  const [kind, title, input] = [textOf(call.kind), textOf(call.title), objectOf(call.rawInput)];
  const [locations, content] = [listOf(call.locations).map(objectOf), listOf(call.content).map(objectOf)];
  return {
    tool_call: textOf(call.toolCallId) || null,
    tool_name: kind || 'tool',
    summary: titleOf({ title, kind, name: '', input, locations, content }),
    input,
  };
}

function choose(params: Json, kinds: readonly string[]): Json {
  const options = listOf(params.options).map(objectOf);
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  return option === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: option.optionId } };
}

/** One turn with an agent of the Agent Client Protocol: greet, open the session, prompt, answer its requests. */
export class AcpConversation implements AgentConversation {
  readonly reader = new AcpReader();
  private readonly opening: AcpOpening;
  private readonly input = new AgentInput();
  private readonly unanswered = new Set<unknown>();
  private hasPrompted = false;
  private isCancelled = false;

  constructor(
    private readonly turn: Turn,
    private readonly profile: AcpProfile,
    private readonly variant: AcpVariant,
  ) {
    this.opening = new AcpOpening(turn, profile, variant);
  }

  get agentSessionId(): string | null {
    return this.opening.sessionId;
  }

  open(io: AgentIo): void {
    this.input.open(io);
    this.request(this.opening.start());
  }

  hear(message: Json): NormalizedEntry[] {
    const answered = answeredMethod(message);
    if (answered !== null) return this.answered(answered, message);
    if (message.method === 'session/update') {
      if (!this.opening.isReady) return this.opening.replayed();
    } else if (typeof message.method === 'string' && message.id !== undefined)
      this.serve(message.id, message.method, objectOf(message.params));
    return this.reader.read(localized(message, this.turn.cwd));
  }

  /** Before the prompt there is no turn to cancel; closing the input ends the agent. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    if (!this.hasPrompted || this.input.hasEnded) return this.end();
    for (const id of this.unanswered) this.answer(id, withdrawing());
    this.input.send(notification('session/cancel', { sessionId: this.opening.sessionName }));
    await this.input.ended;
  }

  private answered(method: AcpMethod, answer: Json): NormalizedEntry[] {
    if (method !== 'session/prompt') return this.goOn(method, answer);
    this.end();
    return this.reader.ended(localized(answer, this.turn.cwd));
  }

  private goOn(method: OpeningMethod, answer: Json): NormalizedEntry[] {
    const wasReady = this.opening.isReady;
    const request = this.opening.next(method, answer);
    if (request === null || this.isCancelled) this.end();
    else this.request(request);
    const { failure, isReady } = this.opening;
    if (failure !== null) return this.reader.fail(localized(failure, this.turn.cwd));
    return isReady && !wasReady ? this.sessionNote() : [];
  }

  private sessionNote(): NormalizedEntry[] {
    const { lost, resumedBy } = this.opening;
    if (resumedBy !== null)
      return [
        {
          type: 'system_message',
          content: `Went on with the agent's session by ${resumedBy}.`,
          metadata: { kind: 'session_resumed', priority: 'low' },
        },
      ];
    return lost === null ? [] : [sessionLost(this.turn, localized(lost, this.turn.cwd))];
  }

  private request(request: AcpRequest): void {
    this.hasPrompted ||= request.method === 'session/prompt';
    this.input.send(requestMessage(request));
  }

  private serve(id: unknown, method: string, params: Json): void {
    if (method === 'session/request_permission') this.permit(id, params);
    else this.input.send(refusal(id, method));
  }

  private permit(id: unknown, params: Json): void {
    this.unanswered.add(id);
    if (this.isCancelled) return this.answer(id, withdrawing());
    const request = localized(permissionRequest(params), this.turn.cwd);
    this.input.permit(this.variant.permissions ?? 'allow', request, ({ allow }) =>
      this.answer(id, allow ? allowing(params) : rejecting(params)),
    );
  }

  /** Answers a request only once: a decision may arrive after a cancel. */
  private answer(id: unknown, result: Json): void {
    if (this.unanswered.delete(id)) this.input.send(reply(id, result));
  }

  private end(): void {
    this.input.end(this.isCancelled ? 0 : this.profile.writes_on_ms);
  }
}
