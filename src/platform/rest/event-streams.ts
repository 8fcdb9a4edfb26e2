import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CredentialEnds } from '../access/credential-ends.js';
import { OpenRequests } from '../access/open-requests.js';
import type { Principal } from '../access/principal.js';
import { sendEvents, type ServerSentEvent } from './server-sent-events.js';

/** Streams to callers: so many at a time, and none outlives the credential it was asked for with. */
@Injectable()
export class EventStreams {
  constructor(
    private readonly open: OpenRequests,
    private readonly credentials: CredentialEnds,
  ) {}

  /** @throws AppError too_many_streams */
  async send(reply: FastifyReply, caller: Principal, events: AsyncIterable<ServerSentEvent>): Promise<void> {
    const release = this.credentials.onEnd(caller, () => reply.raw.destroy());
    try {
      await this.open.hold(caller, () => sendEvents(reply, events));
    } finally {
      release();
    }
  }
}
