import { Injectable, Logger } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireChangeable } from '../platform/access/rights.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { pageLimit, type PageOutput } from '../platform/fields/paging.js';
import { LONG_TEXT, turnForLongWork } from '../platform/process/long-work.js';
import { StorageLimits } from '../storage/storage-limits.service.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { ChainCheck, type ChainReport, CHAIN_VERSION, GENESIS_HASH, hashOf } from './hash-chain.js';
import type { NewThoughtRecord, ThoughtRecord, ThoughtType } from './thought-record.entity.js';
import { type ChainEnd, CHAINS_BEGIN, DEFAULT_ROWS, ThoughtsRepository } from './thoughts.repository.js';

export interface Thought {
  task_id: string;
  type: ThoughtType;
  agent_id: string;
  content: string;
  session_id?: string;
}

export interface ThoughtPage extends PageOutput {
  records: ThoughtRecord[];
  total_count: number;
}

const MAX_ROWS = 500;
const VERIFY_BATCH = 1_000;

/** Thought records: added, never changed. */
@Injectable()
export class ThoughtsService {
  private readonly logger = new Logger(ThoughtsService.name);

  constructor(
    private readonly database: Database,
    private readonly thoughtRows: ThoughtsRepository,
    private readonly taskRows: TasksRepository,
    private readonly audit: AuditService,
    private readonly storage: StorageLimits,
  ) {}

  /** The lock on the task makes writers of one chain queue up.
   *  @throws AppError task_not_found, not_a_member, too_much_stored */
  async record(thought: Thought, principal: Principal): Promise<NewThoughtRecord> {
    requireTaskId(thought.task_id);
    return this.database.transaction(async (tx) => {
      const task = await this.taskRows.lock(tx, principal, thought.task_id);
      requireChangeable(principal, task);
      const { content, agent_id, session_id = '' } = thought;
      await this.storage.take(tx, task.project_id, principal, [content, agent_id, session_id]);
      const record = chained({ ...thought, task_id: task.id }, await this.thoughtRows.findEnd(tx, task.id), principal);
      await this.thoughtRows.insert(tx, record);
      this.database.afterCommit(() => this.logHead(record));
      const after = { thought_record_id: record.id, type: record.type, agent_id: record.agent_id };
      await this.audit.record(tx, principal, {
        entity_type: 'task',
        entity_id: task.id,
        task_id: task.id,
        project_id: task.project_id,
        action: 'thought_recorded',
        details: { after },
      });
      return record;
    });
  }

  /** In the order of insertion. @throws AppError task_not_found, not_a_member */
  async list(
    task_id: string | undefined,
    { limit, cursor }: { limit?: number; cursor?: number },
    principal: Principal,
  ): Promise<ThoughtPage> {
    if (task_id !== undefined) await this.requireTask(task_id, principal);
    const { rows, ...page } = await this.thoughtRows.list(
      principal,
      task_id ?? null,
      pageLimit(limit, DEFAULT_ROWS, MAX_ROWS),
      cursor,
    );
    return { records: rows, ...page };
  }

  /** Checks the chain of one task, or of every task by itself. @throws AppError task_not_found, not_a_member */
  async verify(task_id: string | undefined, principal: Principal): Promise<ChainReport> {
    if (task_id !== undefined) await this.requireTask(task_id, principal);
    const check = new ChainCheck();
    for (let last = CHAINS_BEGIN; ;) {
      const batch = await this.thoughtRows.listLinks(principal, task_id ?? null, VERIFY_BATCH, last);
      for (const link of batch) {
        if ((link.record?.content.length ?? 0) > LONG_TEXT) await turnForLongWork();
        check.add(link);
      }
      last = batch.at(-1)?.head ?? last;
      if (batch.length === 0) break;
    }
    const strays = await this.thoughtRows.listWithoutHead(principal, task_id ?? null, VERIFY_BATCH);
    strays.forEach(({ id }) => check.addStray(id));
    return check.report;
  }

  async hasRecord(task_id: string): Promise<boolean> {
    return this.thoughtRows.exists(task_id);
  }

  /** Logged, so that an external log store holds what even the database's owner cannot undo. */
  private logHead({ task_id, position, id, hash }: NewThoughtRecord): void {
    this.logger.log({ task_id, position, record_id: id, hash }, 'the chain of a task has a new head');
  }

  private async requireTask(task_id: string, principal: Principal): Promise<void> {
    requireTaskId(task_id);
    await this.taskRows.getWithAttempts(principal, task_id);
  }
}

function chained(thought: Thought, end: ChainEnd, { actor }: Principal): NewThoughtRecord {
  const unhashed = {
    ...thought,
    id: newId(),
    session_id: thought.session_id ?? null,
    timestamp: end.now.toISOString(),
    prev_hash: end.hash ?? GENESIS_HASH,
    version: CHAIN_VERSION,
    position: String(BigInt(end.position ?? 0) + 1n),
    recorded_by: actor.name,
  };
  return { ...unhashed, hash: hashOf(unhashed) };
}

/** Any text is accepted as an id; one that is no UUID is not found. @throws AppError task_not_found */
function requireTaskId(task_id: string): void {
  if (!UUID_PATTERN.test(task_id)) throw new AppError('task_not_found', { task_id });
}
