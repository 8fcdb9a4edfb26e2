import { Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { restWording } from '../platform/errors/next-request.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { EventStreams } from '../platform/rest/event-streams.js';
import { lastEventId } from '../platform/rest/server-sent-events.js';
import { AttemptEventsInput, ExecutionEndOutput, ExecutionStreamInput } from './execution.dto.js';
import { ExecutionsRepository } from './executions.repository.js';
import { LogEntryOutput, TailLogsInput, TailLogsOutput } from './log.dto.js';
import { LogStreams } from './log-streams.js';
import { LogsService } from './logs.service.js';

@ApiTags('logs')
@Controller('api')
export class LogsController {
  constructor(
    private readonly logs: LogsService,
    private readonly logStreams: LogStreams,
    private readonly attempts: AttemptsRepository,
    private readonly executions: ExecutionsRepository,
    private readonly streams: EventStreams,
  ) {}

  @Endpoint('GET attempts/:attempt_id/logs', {
    summary: 'Read the log of an attempt: its tail, older or newer entries.',
    scope: 'read',
    output: TailLogsOutput,
    errors: ['attempt_not_found', 'too_many_streams'],
  })
  readLog(@Input() input: TailLogsInput, @Caller() caller: Principal): Promise<TailLogsOutput> {
    return this.logs.tail(input, caller, restWording('tail_attempt_logs', input));
  }

  @Endpoint('GET attempts/:attempt_id/events', {
    summary: 'Stream the events of an attempt from now on, or after an entry, until the client disconnects.',
    scope: 'read',
    output: { events: { entry: LogEntryOutput } },
    errors: ['attempt_not_found', 'too_many_streams'],
  })
  async streamAttemptEvents(
    @Input() input: AttemptEventsInput,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id } = await this.attempts.get(caller, input.attempt_id);
    const isGone = () => reply.raw.destroyed;
    await this.streams.send(reply, caller, this.logStreams.events(id, startOf(request, input), caller, isGone));
  }

  @Endpoint('GET executions/:execution_process_id/logs/stream', {
    summary: 'Stream the log of an execution from its start; the last event is `end`.',
    scope: 'read',
    output: { events: { entry: LogEntryOutput, end: ExecutionEndOutput } },
    errors: ['execution_not_found', 'too_many_streams'],
  })
  async streamExecutionLog(
    @Input() input: ExecutionStreamInput,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id } = await this.executions.get(caller, input.execution_process_id);
    const isGone = () => reply.raw.destroyed;
    const events = this.logStreams.execution(
      id,
      input.channel ?? 'normalized',
      startOf(request, input),
      caller,
      isGone,
    );
    await this.streams.send(reply, caller, events);
  }
}

/** Last-Event-ID takes precedence: a client that reconnects sends both. */
const startOf = (request: FastifyRequest, { after_entry_index }: { after_entry_index?: number }): number | null =>
  lastEventId(request) ?? after_entry_index ?? null;
