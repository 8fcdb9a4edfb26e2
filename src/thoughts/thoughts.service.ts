import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { StageBoardService, type StagePatch } from '../tasks/stage-board.service.js';
import type { StageTask } from '../tasks/stage-board.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { type ChainReport, GENESIS_HASH, hashOf, verifyChains } from './hash-chain.js';
import type { ThoughtRecord, ThoughtType } from './thought-record.entity.js';
import { ThoughtsRepository } from './thoughts.repository.js';

export interface Thought { task_id: string; type: ThoughtType; agent_id: string; content: string; session_id?: string }

const DEFAULT_ROWS = 100;
const MAX_ROWS = 500;
const VERIFY_BATCH = 5_000;

/** Thought records, and the rule that a task is only DONE with one. */
@Injectable()
export class ThoughtsService {
  constructor(
    private readonly database: Database,
    private readonly thoughts: ThoughtsRepository,
    private readonly tasks: TasksRepository,
    private readonly board: StageBoardService,
  ) {}

  /** The lock on the task makes writers of one chain queue up. @throws AppError task_not_found */
  async record(thought: Thought, principal: Principal): Promise<ThoughtRecord> {
    await this.board.get(thought.task_id, principal);
    return this.database.transaction(async () => {
      await this.tasks.lock(principal, thought.task_id);
      const prev_hash = (await this.thoughts.findLastHash(thought.task_id)) ?? GENESIS_HASH;
      const unhashed = { ...thought, id: newId(), session_id: thought.session_id ?? null, timestamp: new Date().toISOString(), prev_hash };
      const record = { ...unhashed, hash: hashOf(unhashed) };
      await this.thoughts.insert(record);
      return record as ThoughtRecord;
    });
  }

  /** In the order of insertion. @throws AppError task_not_found */
  async list(task_id: string | undefined, limit: number | undefined, principal: Principal): Promise<{ records: ThoughtRecord[]; total_count: number }> {
    if (task_id !== undefined) await this.board.get(task_id, principal);
    const records = await this.thoughts.list(task_id ?? null, Math.min(limit ?? DEFAULT_ROWS, MAX_ROWS));
    return { records, total_count: await this.thoughts.count(task_id ?? null) };
  }

  /** Checks the chain of one task, or of every task by itself. @throws AppError task_not_found */
  async verify(task_id: string | undefined, principal: Principal): Promise<ChainReport> {
    if (task_id !== undefined) await this.board.get(task_id, principal);
    const records: ThoughtRecord[] = [];
    for (;;) {
      const batch = await this.thoughts.list(task_id ?? null, VERIFY_BATCH, Number(records.at(-1)?.number ?? 0));
      records.push(...batch);
      if (batch.length < VERIFY_BATCH) return verifyChains(records);
    }
  }

  /** Changes a task; DONE needs a record, whatever the task was before. All or nothing. @throws AppError task_not_found, writeback_required */
  async updateTask(id: string, patch: StagePatch, principal: Principal): Promise<StageTask> {
    return this.board.update(id, patch, principal, async (task) => {
      if (patch.status === 'DONE' && !(await this.thoughts.exists(task.id))) throw new AppError('writeback_required', { task_id: id, missing_fields: ['thought_record'] });
    });
  }
}
