import { Injectable } from '@nestjs/common';
import { type Budgeted, withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { insertRecord } from '../platform/database/record-time.js';
import { type NewMessage, QueuedMessage } from './session.entity.js';

export type MessageAuthor = Pick<QueuedMessage, 'queued_by_worker_id' | 'queued_by' | 'queued_by_type' | 'charged_to'>;
/** The messages of one session that wait. */
export interface SessionQueue {
  /** One of them; null where none waits. */
  message: Pick<QueuedMessage, 'id' | 'prompt' | 'variant' | 'queued_at'> | null;
  length: number;
}
/** A message of one session. */
export type MessageKey = Pick<QueuedMessage, 'session_id' | 'id'>;

const COLUMNS = columnsOf(QueuedMessage);
const ORDER = 'goes_first DESC, number';

/** The messages that wait in sessions. Whoever changes them holds the lock of the attempt. */
@Injectable()
export class QueuedMessagesRepository {
  constructor(private readonly database: Database) {}

  /** The next to run first; the last ones are missing where all are too long for one answer. */
  list(session_id: string): Promise<(QueuedMessage & Budgeted)[]> {
    return this.database.query<QueuedMessage & Budgeted>(
      withinBudget(`SELECT ${COLUMNS} FROM queued_messages WHERE session_id = $1`, {
        columns: COLUMNS,
        long: ['prompt'],
        order: ORDER,
      }),
      [session_id],
    );
  }

  /** Appends it. @returns it, and how many wait with it */
  async append(_tx: Transaction, message: NewMessage): Promise<SessionQueue> {
    const appended = await insertRecord(this.database.manager, QueuedMessage, message);
    const length = await this.database.manager.countBy(QueuedMessage, { session_id: message.session_id });
    return { message: appended, length };
  }

  /** @returns false if it does not wait any more; likewise below */
  async setText(
    _tx: Transaction,
    { session_id, id }: MessageKey,
    text: MessageAuthor & Pick<QueuedMessage, 'prompt'>,
  ): Promise<boolean> {
    return (await this.database.manager.update(QueuedMessage, { session_id, id }, text)).affected === 1;
  }

  async putFirst(_tx: Transaction, { session_id, id }: MessageKey): Promise<boolean> {
    return (await this.database.manager.update(QueuedMessage, { session_id, id }, { goes_first: true })).affected === 1;
  }

  async delete(_tx: Transaction, { session_id, id }: MessageKey): Promise<boolean> {
    return (await this.database.manager.delete(QueuedMessage, { session_id, id })).affected === 1;
  }

  /** @returns how many waited */
  deleteAll(_tx: Transaction, session_id: string): Promise<number> {
    return this.database.affected('DELETE FROM queued_messages WHERE session_id = $1', [session_id]);
  }

  /** Whether a message of the attempt runs whatever the end of its turn is. */
  hasFirst(_tx: Transaction, attempt_id: string): Promise<boolean> {
    return this.database.manager.existsBy(QueuedMessage, { attempt_id, goes_first: true });
  }

  /** Takes the next one of all sessions of the attempt. */
  async take(_tx: Transaction, attempt_id: string): Promise<QueuedMessage | null> {
    const [message] = await this.database.query<QueuedMessage>(
      `DELETE FROM queued_messages
       WHERE number = (
         SELECT number FROM queued_messages WHERE attempt_id = $1 ORDER BY ${ORDER} LIMIT 1
       )
       RETURNING ${COLUMNS}`,
      [attempt_id],
    );
    return message ?? null;
  }
}
