import { Injectable } from '@nestjs/common';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/rights.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { NoticesOutput, ReadMarkOutput, WatchOutput, WatchTaskInput } from './notices.dto.js';
import { NoticesRepository } from './notices.repository.js';

/** What addresses one person: questions of agents in their projects, and the ends of runs that they wait for. */
@Injectable()
export class NoticesService {
  constructor(
    private readonly rows: NoticesRepository,
    private readonly taskRows: TasksRepository,
    private readonly broad: BroadReads,
  ) {}

  /** @throws AppError query_too_broad */
  async list(principal: Principal): Promise<NoticesOutput> {
    const read = <T>(work: () => Promise<T>) => this.broad.read(principal, 'a token of one project', work);
    const [questions, ended] = await Promise.all([
      read(() => this.rows.listQuestions(principal)),
      read(() => this.rows.listEnded(principal)),
    ]);
    return { questions, ended, unread: [...questions, ...ended].filter(({ is_unread }) => is_unread).length };
  }

  /** @throws AppError forbidden */
  async markRead(principal: Principal): Promise<ReadMarkOutput> {
    requireCaller(principal, false, 'read an inbox');
    return { read_at: (await this.rows.markRead(principal)).toISOString() };
  }

  /** @throws AppError task_not_found, not_a_member */
  async get(task_id: string, principal: Principal): Promise<WatchOutput> {
    await this.taskRows.getWithAttempts(principal, task_id);
    return { task_id, is_watching: await this.rows.isWatching(principal, task_id) };
  }

  /** @throws AppError task_not_found, not_a_member, forbidden */
  async watch({ task_id, watching = true }: WatchTaskInput, principal: Principal): Promise<WatchOutput> {
    requireCaller(principal, false, 'watch tasks');
    await this.taskRows.getWithAttempts(principal, task_id);
    await (watching ? this.rows.watch(principal, task_id) : this.rows.unwatch(principal, task_id));
    return { task_id, is_watching: watching };
  }
}
