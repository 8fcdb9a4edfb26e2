import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { EditMessageInput, MessageTarget, QueueOutput } from '../sessions/queue.dto.js';
import { SessionTarget } from '../sessions/session.dto.js';
import { QueueService } from './queue.service.js';

/** What waits in a session. */
@ApiTags('sessions')
@Controller('api')
export class QueueController {
  constructor(private readonly queue: QueueService) {}

  @Endpoint('DELETE sessions/:session_id/queue', {
    summary: 'Cancel the queued messages of a session.',
    scope: 'execute',
    output: QueueOutput,
    errors: ['session_not_found'],
  })
  cancelQueuedMessage(@Input() { session_id }: SessionTarget, @Caller() caller: Principal): Promise<QueueOutput> {
    return this.queue.dropAll(session_id, caller);
  }

  @Endpoint('PUT sessions/:session_id/queue/:message_id', {
    summary: 'Change the words of a queued message.',
    scope: 'execute',
    output: QueueOutput,
    errors: ['session_not_found', 'message_gone', 'too_much_stored'],
  })
  editQueuedMessage(@Input() input: EditMessageInput, @Caller() caller: Principal): Promise<QueueOutput> {
    return this.queue.edit(input, caller);
  }

  @Endpoint('DELETE sessions/:session_id/queue/:message_id', {
    summary: 'Drop a queued message.',
    scope: 'execute',
    output: QueueOutput,
    errors: ['session_not_found', 'message_gone'],
  })
  dropQueuedMessage(@Input() input: MessageTarget, @Caller() caller: Principal): Promise<QueueOutput> {
    return this.queue.drop(input, caller);
  }

  @Endpoint('POST sessions/:session_id/queue/:message_id/send', {
    summary: 'Send a queued message now: the live run is stopped, the other messages wait on.',
    scope: 'execute',
    output: QueueOutput,
    errors: ['session_not_found', 'message_gone'],
  })
  sendQueuedMessage(@Input() input: MessageTarget, @Caller() caller: Principal): Promise<QueueOutput> {
    return this.queue.send(input, caller);
  }
}
