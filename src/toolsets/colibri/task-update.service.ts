import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/access/principal.js';
import { AppError } from '../../platform/errors/app-error.js';
import { ThoughtsService } from '../../thoughts/thoughts.service.js';
import type { StageTask } from './stage-board.repository.js';
import { StageBoardService, type StagePatch } from './stage-board.service.js';

/** Colibri's gate: a task is DONE only with a thought record, whatever it was before. */
@Injectable()
export class TaskUpdateService {
  constructor(
    private readonly board: StageBoardService,
    private readonly thoughts: ThoughtsService,
  ) {}

  /** All or nothing. @throws AppError task_not_found, not_a_member, project_not_found, task_tied, writeback_required */
  async update(id: string, patch: StagePatch, principal: Principal): Promise<StageTask> {
    return this.board.update(id, patch, principal, async (task) => {
      if (patch.status === 'DONE' && !(await this.thoughts.hasRecord(task.id)))
        throw new AppError('writeback_required', { task_id: id, missing_fields: ['thought_record'] });
    });
  }
}
