import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CredentialEnds } from '../access/verified-tokens.js';
import { OpenRequests } from '../access/caller-limits.js';
import type { Principal } from '../access/principal.js';
import { sendEvents, type ServerSentEvent } from './server-sent-events.js';

/** Event streams to callers, limited in number; none outlives the credential that opened it. */
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
