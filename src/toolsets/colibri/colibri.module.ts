import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../idempotency/idempotency.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { ThoughtsModule } from '../../thoughts/thoughts.module.js';
import { WorkersModule } from '../../workers/workers.module.js';
import { colibriToolset } from './colibri.toolset.js';
import { StageBoardRepository } from './stage-board.repository.js';
import { StageBoardService } from './stage-board.service.js';
import { TaskUpdateService } from './task-update.service.js';

@Module({
  imports: [IdempotencyModule, WorkersModule, ProjectsModule, TasksModule, ThoughtsModule],
  providers: [StageBoardRepository, StageBoardService, TaskUpdateService, ...colibriToolset.tools],
})
export class ColibriModule {}
