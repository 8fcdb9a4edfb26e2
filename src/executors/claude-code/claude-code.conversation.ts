import type { OutputLine } from '../../platform/process/process-types.js';
import { localized } from '../agent/entry-text.js';
import { objectOf, parseObject, textOf, type Json } from '../agent/json.js';
import { LineJoiner } from '../agent/line-joiner.js';
import { Once } from '../agent/once.js';
import { promptText } from '../agent/prompt-text.js';
import type { AgentIo, Conversation, PermissionDecision, Turn } from '../executor.js';
import { claudeVariant } from './claude-settings.js';
import { toolTitle } from './claude-tools.js';

const GREETING = 'taskyard-initialize';
const INTERRUPT = 'taskyard-interrupt';
const REFUSED = 'Not allowed in this mode. Do not try again; finish with what you have.';

/** One turn over the control protocol: initialize, the prompt, permissions, and the end of input at the result. */
export class ClaudeCodeConversation implements Conversation {
  private readonly joiner = new LineJoiner();
  private readonly ended = new Once();
  private io: AgentIo | null = null;
  private hasPrompted = false;

  constructor(private readonly turn: Turn) {}

  open(io: AgentIo): void {
    this.io = io;
    io.send({ type: 'control_request', request_id: GREETING, request: { subtype: 'initialize', hooks: null } });
  }

  hear(line: OutputLine): void {
    const text = this.joiner.push(line);
    const message = text === null ? null : parseObject(text);
    if (message === null || this.io === null) return;
    if (message.type === 'control_request') this.serve(textOf(message.request_id), objectOf(message.request));
    else if (message.type === 'control_response' && objectOf(message.response).request_id === GREETING) this.prompt();
    else if (message.type === 'result') this.end();
  }

  /** Before the prompt there is nothing to interrupt: the agent ends when its input is closed. */
  async cancel(): Promise<void> {
    if (!this.hasPrompted || this.ended.hasHappened) return this.end();
    this.io!.send({ type: 'control_request', request_id: INTERRUPT, request: { subtype: 'interrupt' } });
    await this.ended.happened;
  }

  private prompt(): void {
    if (this.ended.hasHappened) return;
    this.hasPrompted = true;
    const text = promptText(this.turn, this.turn.agent_session_id === null);
    this.io!.send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
  }

  private serve(id: string, request: Json): void {
    if (request.subtype !== 'can_use_tool')
      return this.io!.send(response(id, { subtype: 'error', error: `unknown request: ${textOf(request.subtype)}` }));
    const answer = (decision: PermissionDecision): void => {
      if (!this.ended.hasHappened)
        this.io!.send(response(id, { subtype: 'success', response: verdict(decision, objectOf(request.input)) }));
    };
    const { permissions } = claudeVariant(this.turn.variant);
    if (permissions !== 'ask')
      return answer(permissions === 'allow' ? { allow: true } : { allow: false, reason: REFUSED });
    const tool_name = textOf(request.tool_name);
    const input = objectOf(request.input);
    const asked = {
      tool_call: textOf(request.tool_use_id) || null,
      tool_name,
      summary: toolTitle(tool_name, input),
      input,
    };
    this.io!.decide(localized(asked, this.turn.cwd)).then(answer, () =>
      answer({ allow: false, reason: 'nobody could be asked' }),
    );
  }

  private end(): void {
    if (this.ended.hasHappened) return;
    this.ended.happen();
    this.io?.closeInput();
  }
}

const response = (request_id: string, body: Json): Json => ({
  type: 'control_response',
  response: { request_id, ...body },
});

const verdict = (decision: PermissionDecision, updatedInput: Json): Json =>
  decision.allow ? { behavior: 'allow', updatedInput } : { behavior: 'deny', message: decision.reason };
