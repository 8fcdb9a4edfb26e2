import { Injectable } from '@nestjs/common';
import { ChangeHub } from '../platform/database/change-hub.js';
import type { Transaction } from '../platform/database/database.js';
import { EventsRepository, type NewEvent } from './events.repository.js';

/** Changes of any project. */
const ANY_PROJECT = 'events';

/** Key that wakes waiters for events of one project, or of all. */
export const eventKey = (project_id: string | undefined): string =>
  project_id === undefined ? ANY_PROJECT : `${ANY_PROJECT}:${project_id}`;

/** What changed on a board, written in the transaction of the change. */
@Injectable()
export class EventLog {
  constructor(
    private readonly rows: EventsRepository,
    private readonly hub: ChangeHub,
  ) {}

  async record(tx: Transaction, ...events: NewEvent[]): Promise<void> {
    await this.rows.insert(tx, events);
    for (const project_id of new Set(events.map((event) => event.project_id))) this.written(project_id);
  }

  /** Another statement wrote events of the project: wakes waiters once that is committed. */
  written(project_id: string | null): void {
    if (project_id !== null) this.hub.changed(eventKey(project_id));
    this.hub.changed(ANY_PROJECT);
  }
}
