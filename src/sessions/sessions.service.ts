import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { LIST_BYTES, listedText, pageLimit, withinBytes } from '../platform/fields/paging.js';
import {
  DEFAULT_MESSAGES,
  type ListSessionsInput,
  type ListSessionsOutput,
  MAX_MESSAGES,
  type MessageOutput,
  type MessagesInput,
  type MessagesOutput,
  type SessionOrAttempt,
  type SessionOutput,
} from './session.dto.js';
import type { QueueFields, QueueOutput } from './queue.dto.js';
import { QueuedMessagesRepository, type SessionQueue } from './queued-messages.repository.js';
import type { Session } from './session.entity.js';
import { SessionsRepository, type TurnRow } from './sessions.repository.js';

@Injectable()
export class SessionsService {
  constructor(
    private readonly sessionRows: SessionsRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly queueRows: QueuedMessagesRepository,
  ) {}

  /** The session named, or the newest one of the author.
   *  @throws AppError session_not_found, attempt_not_found, no_session_yet */
  async resolve(target: SessionOrAttempt, principal: Principal): Promise<Session> {
    if (target.session_id !== undefined) return this.sessionRows.get(principal, target.session_id);
    const attempt = await this.attemptRows.get(principal, target.attempt_id!);
    const session = await this.sessionRows.findLatest(attempt.id);
    if (session === null) throw new AppError('no_session_yet', { attempt_id: attempt.id });
    return session;
  }

  /** The same, to send it a message. @throws AppError session_reviews, and what `resolve` throws */
  async resolveAuthor(target: SessionOrAttempt, principal: Principal): Promise<Session> {
    const session = await this.resolve(target, principal);
    const { id: session_id, attempt_id } = session;
    if (session.role === 'reviewer') throw new AppError('session_reviews', { session_id, attempt_id });
    return session;
  }

  async get(session_id: string, principal: Principal): Promise<SessionOutput> {
    return toSessionOutput(await this.sessionRows.get(principal, session_id));
  }

  /** @throws AppError attempt_not_found, not_a_member */
  async list({ attempt_id, limit, cursor }: ListSessionsInput, principal: Principal): Promise<ListSessionsOutput> {
    await this.attemptRows.get(principal, attempt_id);
    const { rows, ...page } = await this.sessionRows.listOfAttempt(attempt_id, pageLimit(limit), cursor);
    return { attempt_id, ...page, sessions: rows.map(toSessionOutput) };
  }

  async messages(input: MessagesInput, principal: Principal): Promise<MessagesOutput> {
    const session = await this.resolve(input, principal);
    const limit = pageLimit(input.limit, DEFAULT_MESSAGES, MAX_MESSAGES);
    const rows = await this.sessionRows.listTurns(session.id, limit, input.cursor);
    const newest = rows.slice(0, limit).map(toMessage);
    const isUsual = limit <= DEFAULT_MESSAGES;
    const entries = (isUsual ? withinBytes(newest.map(shortened), LIST_BYTES) : newest).reverse();
    const has_more = (rows[0]?.candidates ?? 0) > entries.length;
    return {
      session_id: session.id,
      page: { entries, has_more, next_cursor: has_more ? (entries[0]?.entry_index ?? null) : null },
    };
  }

  async queue(session_id: string, principal: Principal): Promise<QueueOutput> {
    const session = await this.sessionRows.get(principal, session_id);
    const rows = await this.queueRows.list(session.id);
    const [message = null] = rows;
    return {
      ...toQueueFields(session.id, { message, length: message?.candidates ?? 0 }),
      messages: rows.map(({ id: message_id, prompt, goes_first }) => ({ message_id, prompt, goes_first })),
    };
  }
}

export function toQueueFields(
  session_id: string,
  { message, length: queue_length }: SessionQueue,
): QueueFields & Pick<QueueOutput, 'session_id'> {
  if (message === null) return { session_id, queue_status: 'empty', queue_length, queued_message: null };
  const { prompt, variant, queued_at } = message;
  return {
    session_id,
    queue_status: 'queued',
    queue_length,
    queued_message: { session_id, message: prompt, variant, queued_at: queued_at.toISOString() },
  };
}

const toMessage = ({
  entry_index,
  turn_id,
  prompt,
  summary,
  status,
  created_at,
  updated_at,
}: TurnRow): MessageOutput => ({
  entry_index: Number(entry_index),
  turn_id,
  prompt,
  summary,
  status,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

const shortened = (message: MessageOutput): MessageOutput => ({
  ...message,
  prompt: listedText(message.prompt),
  summary: listedText(message.summary),
});

const toSessionOutput = ({
  id,
  attempt_id,
  role,
  executor,
  variant,
  created_at,
  updated_at,
}: Session): SessionOutput => ({
  session_id: id,
  attempt_id,
  role,
  executor,
  variant,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});
