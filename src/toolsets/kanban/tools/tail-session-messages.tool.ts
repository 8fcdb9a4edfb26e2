import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { MessagesInput, MessagesOutput } from '../../../sessions/session.dto.js';
import { SessionsService } from '../../../sessions/sessions.service.js';

@Injectable()
@Tool({
  name: 'tail_session_messages',
  title: 'Tail session messages',
  input: MessagesInput,
  output: MessagesOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the prompts and answers of a session so far.',
    next: 'follow_up',
    avoid: 'Passing both attempt_id and session_id.',
  },
})
export class TailSessionMessagesTool implements ToolHandler<MessagesInput, MessagesOutput> {
  constructor(private readonly sessions: SessionsService) {}

  call(input: MessagesInput, { principal }: CallContext): Promise<MessagesOutput> {
    return this.sessions.messages(input, principal);
  }
}
