import type { AgentConversation } from '../agent/agent-driver.js';
import { AgentInput } from '../agent/agent-input.js';
import { promptText } from '../agent/earlier-turns.js';
import { localized } from '../agent/entry-text.js';
import { objectOf, textOf, type Json } from '../agent/json.js';
import type { AgentIo, PermissionDecision, PermissionRequest, Turn } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';
import { ClaudeReader } from './claude-reader.js';
import type { ClaudeVariant } from './claude-command.js';
import { toolTitle } from './claude-tools.js';

const GREETING = 'taskyard-initialize';
const INTERRUPT = 'taskyard-interrupt';

/** One turn over the control protocol: initialize, the prompt, permissions, and the end of input at the result. */
export class ClaudeCodeConversation implements AgentConversation {
  readonly reader = new ClaudeReader();
  private readonly input = new AgentInput();
  private hasPrompted = false;

  constructor(
    private readonly turn: Turn,
    private readonly variant: ClaudeVariant,
  ) {}

  get agentSessionId(): string | null {
    return this.reader.agentSessionId;
  }

  open(io: AgentIo): void {
    this.input.open(io);
    this.control(GREETING, { subtype: 'initialize', hooks: null });
  }

  hear(message: Json): NormalizedEntry[] {
    if (message.type === 'control_request') this.serve(textOf(message.request_id), objectOf(message.request));
    else if (message.type === 'control_response' && objectOf(message.response).request_id === GREETING) this.prompt();
    else if (message.type === 'result') this.input.end();
    return this.reader.read(localized(message, this.turn.cwd));
  }

  /** Before the prompt there is nothing to interrupt; closing the input ends the agent. */
  async cancel(): Promise<void> {
    if (!this.hasPrompted) return this.input.end();
    this.control(INTERRUPT, { subtype: 'interrupt' });
    await this.input.ended;
  }

  private prompt(): void {
    if (this.input.hasEnded) return;
    this.hasPrompted = true;
    const text = promptText(this.turn, this.turn.agent_session_id === null);
    this.input.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
  }

  private serve(id: string, request: Json): void {
    if (request.subtype !== 'can_use_tool')
      return this.respond(id, { subtype: 'error', error: `unknown request: ${textOf(request.subtype)}` });
    const asked = localized(permissionRequest(request), this.turn.cwd);
    this.input.permit(this.variant.permissions, asked, (decision) =>
      this.respond(id, { subtype: 'success', response: verdict(decision, objectOf(request.input)) }),
    );
  }

  private control(request_id: string, request: Json): void {
    this.input.send({ type: 'control_request', request_id, request });
  }

  private respond(request_id: string, body: Json): void {
    this.input.send({ type: 'control_response', response: { request_id, ...body } });
  }
}

function permissionRequest(request: Json): PermissionRequest {
  const tool_name = textOf(request.tool_name);
  const input = objectOf(request.input);
  return { tool_call: textOf(request.tool_use_id) || null, tool_name, summary: toolTitle(tool_name, input), input };
}

const verdict = (decision: PermissionDecision, updatedInput: Json): Json =>
  decision.allow ? { behavior: 'allow', updatedInput } : { behavior: 'deny', message: decision.reason };
