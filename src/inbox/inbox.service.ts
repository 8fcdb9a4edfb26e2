import { Injectable } from '@nestjs/common';
import { endHint } from '../executors/agent/failure.js';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import type { TextTimes } from '../platform/database/text-times.js';
import { pageLimit } from '../platform/fields/paging.js';
import { type InboxOutput, type InboxTaskOutput, MAX_WAITING, type ReadInboxInput } from './inbox.dto.js';
import { InboxRepository, type WaitingTask } from './inbox.repository.js';

/** What waits for a person, except approval requests, which have their own list. */
@Injectable()
export class InboxService {
  constructor(
    private readonly rows: InboxRepository,
    private readonly broad: BroadReads,
  ) {}

  async read(input: ReadInboxInput, principal: Principal): Promise<InboxOutput> {
    const limit = pageLimit(input.limit, MAX_WAITING, MAX_WAITING);
    const read = <T>(work: () => Promise<T>) => this.broad.read(principal, 'a token of one project', work);
    const [failed, reviews, exhausted] = await Promise.all([
      read(() => this.rows.listFailed(principal, limit)),
      read(() => this.rows.listReviews(principal, limit)),
      read(() => this.rows.listExhausted(principal, limit)),
    ]);
    return { failed: failed.map(toOutput), reviews: reviews.map(toOutput), exhausted, limit };
  }
}

const toOutput = ({ execution_status, failure_summary, ...task }: TextTimes<WaitingTask>): InboxTaskOutput => ({
  ...task,
  failure_summary,
  hint: execution_status && endHint({ status: execution_status, failure_summary }),
});
