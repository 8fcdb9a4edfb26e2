import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiParam, ApiProduces, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { errorResponses } from '../platform/rest/error-responses.js';
import { lastEventId, sendEvents } from '../platform/rest/server-sent-events.js';
import { ExecutionStreamInput } from './execution.dto.js';
import { ExecutionsRepository } from './executions.repository.js';
import { TailLogsInput, TailLogsOutput } from './log.dto.js';
import { LogStreams } from './log-streams.js';
import { LogsService } from './logs.service.js';

const Resume = () => ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event that was seen; the stream goes on behind it.' });

@ApiTags('logs')
@Controller('api')
export class LogsController {
  constructor(
    private readonly logs: LogsService,
    private readonly streams: LogStreams,
    private readonly attempts: AttemptsRepository,
    private readonly executions: ExecutionsRepository,
  ) {}

  @Endpoint({ method: 'GET', path: 'attempts/:attempt_id/logs', summary: 'Read the log of an attempt: the tail, older or newer entries.', input: TailLogsInput, output: TailLogsOutput, errors: ['attempt_not_found', 'mixed_pagination'] })
  tail(@Input(TailLogsInput) input: TailLogsInput, @Caller() caller: Principal): Promise<TailLogsOutput> {
    return this.logs.tail(input, caller);
  }

  @Get('attempts/:attempt_id/events')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Stream what happens to an attempt (server-sent events, resumable).' })
  @ApiParam({ name: 'attempt_id', schema: { type: 'string', format: 'uuid' } })
  @Resume()
  @ApiProduces('text/event-stream')
  @ApiResponse({ status: 200, type: String, description: 'Events `entry`, each with its entry_index as id.' })
  @StreamErrors('attempt_not_found')
  async events(@Input(AttemptTarget) input: AttemptTarget, @Caller() caller: Principal, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id } = await this.attempts.get(caller, input.attempt_id);
    await sendEvents(reply, this.streams.events(id, lastEventId(request), () => reply.raw.destroyed));
  }

  @Get('executions/:execution_process_id/logs/stream')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Stream the log of one run (server-sent events, resumable).' })
  @ApiParam({ name: 'execution_process_id', schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({ name: 'channel', required: false, schema: { type: 'string', enum: ['normalized', 'raw'] } })
  @Resume()
  @ApiProduces('text/event-stream')
  @ApiResponse({ status: 200, type: String, description: 'Events `entry`, then `end`.' })
  @StreamErrors('execution_not_found')
  async stream(@Input(ExecutionStreamInput) input: ExecutionStreamInput, @Caller() caller: Principal, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id } = await this.executions.get(caller, input.execution_process_id);
    await sendEvents(reply, this.streams.execution(id, input.channel ?? 'normalized', lastEventId(request), caller, () => reply.raw.destroyed));
  }
}

function StreamErrors(code: 'attempt_not_found' | 'execution_not_found'): MethodDecorator {
  return (target, property, descriptor) => errorResponses([code]).forEach((decorate) => decorate(target, property, descriptor));
}
