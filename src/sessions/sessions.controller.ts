import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { QueueOutput } from './queue.dto.js';
import {
  ListSessionsInput,
  ListSessionsOutput,
  MessagesInput,
  MessagesOutput,
  SessionOutput,
  SessionTarget,
} from './session.dto.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('sessions')
@Controller('api')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Endpoint('GET sessions/:session_id', {
    summary: 'Get a session.',
    scope: 'read',
    output: SessionOutput,
    errors: ['session_not_found'],
  })
  getSession(@Input() input: SessionTarget, @Caller() caller: Principal): Promise<SessionOutput> {
    return this.sessions.get(input.session_id, caller);
  }

  @Endpoint('GET attempts/:attempt_id/sessions', {
    summary: 'List the sessions of an attempt, newest first.',
    scope: 'read',
    output: ListSessionsOutput,
    errors: ['attempt_not_found'],
  })
  listSessions(@Input() input: ListSessionsInput, @Caller() caller: Principal): Promise<ListSessionsOutput> {
    return this.sessions.list(input, caller);
  }

  @Endpoint('GET sessions/:session_id/messages', {
    summary: 'List the messages of a session.',
    scope: 'read',
    output: MessagesOutput,
    errors: ['session_not_found'],
  })
  getSessionMessages(@Input() input: MessagesInput, @Caller() caller: Principal): Promise<MessagesOutput> {
    return this.sessions.messages(input, caller);
  }

  @Endpoint('GET attempts/:attempt_id/messages', {
    summary: 'List the messages of the latest session of an attempt.',
    scope: 'read',
    output: MessagesOutput,
    errors: ['attempt_not_found', 'no_session_yet'],
  })
  getAttemptMessages(@Input() input: MessagesInput, @Caller() caller: Principal): Promise<MessagesOutput> {
    return this.sessions.messages(input, caller);
  }

  @Endpoint('GET sessions/:session_id/queue', {
    summary: 'Get the queued messages of a session.',
    scope: 'read',
    output: QueueOutput,
    errors: ['session_not_found'],
  })
  getQueuedMessage(@Input() input: SessionTarget, @Caller() caller: Principal): Promise<QueueOutput> {
    return this.sessions.queue(input.session_id, caller);
  }
}
