import { Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../platform/access/principal.js';
import { pageLimit } from '../platform/fields/paging.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { EventStreams } from '../platform/rest/event-streams.js';
import { lastEventId } from '../platform/rest/server-sent-events.js';
import {
  EventOutput,
  MAX_EVENTS,
  ListEventsInput,
  ListEventsOutput,
  MissedEventsOutput,
  ProjectEventsInput,
} from './event.dto.js';
import { EventFeed } from './event-feed.js';

@ApiTags('events')
@Controller('api')
export class EventsController {
  constructor(
    private readonly feed: EventFeed,
    private readonly streams: EventStreams,
  ) {}

  @Endpoint('GET events', {
    summary: 'List events of your projects, oldest first; with Accept: text/event-stream a stream of them.',
    scope: 'read',
    output: ListEventsOutput,
    other: { events: { event: EventOutput, missed: MissedEventsOutput } },
    errors: ['project_not_found', 'too_many_streams'],
  })
  async listEvents(
    @Input() input: ListEventsInput,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ListEventsOutput | void> {
    void reply.header('vary', 'accept');
    if (request.headers.accept?.includes('text/event-stream')) return this.stream(input, caller, request, reply);
    const { project_id, after = 0, wait_ms = 0 } = input;
    const wanted = { project_id, after, limit: pageLimit(input.limit, MAX_EVENTS, MAX_EVENTS) };
    return this.feed.await(wanted, wait_ms, caller);
  }

  @Endpoint('GET projects/:project_id/events', {
    summary: 'Stream the events of a project from now on, or after a number, until the client disconnects.',
    scope: 'read',
    output: { events: { event: EventOutput } },
    errors: ['project_not_found', 'too_many_streams'],
  })
  streamProjectEvents(
    @Input() input: ProjectEventsInput,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.stream(input, caller, request, reply);
  }

  /** Last-Event-ID takes precedence: a client that reconnects sends both. */
  private async stream(
    { project_id, after, recent_ms }: Pick<ListEventsInput, 'project_id' | 'after' | 'recent_ms'>,
    caller: Principal,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (project_id !== undefined) await this.feed.require(project_id, caller);
    const start = { after: lastEventId(request) ?? after, recent_ms };
    const events = this.feed.stream(project_id, start, caller, () => reply.raw.destroyed);
    await this.streams.send(reply, caller, events);
  }
}
