import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { pageLimit } from '../platform/fields/paging.js';
import { EventFeed } from './event-feed.js';
import { DEFAULT_CHANGES, type ListEventsOutput, MAX_EVENTS, type ProjectChangesInput } from './event.dto.js';

/** What changed in a project since a caller last asked. */
@Injectable()
export class ProjectChanges {
  constructor(private readonly feed: EventFeed) {}

  /** @throws AppError project_not_found, not_a_member, too_many_streams */
  async since(input: ProjectChangesInput, principal: Principal): Promise<ListEventsOutput> {
    const { project_id } = input;
    const after = input.after ?? (await this.feed.now());
    const wanted = { project_id, after, limit: pageLimit(input.limit, DEFAULT_CHANGES, MAX_EVENTS) };
    return this.feed.await(wanted, input.wait_ms ?? 0, principal);
  }
}
