import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { BoardRepository } from './board.repository.js';
import { BoardService } from './board.service.js';
import { TaskTree } from './task-tree.js';
import { TaskWorkflowController } from './task-workflow.controller.js';
import { TaskWorkflowService } from './task-workflow.service.js';
import { TaskWriter } from './task-writer.js';
import { TasksController } from './tasks.controller.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksService } from './tasks.service.js';

@Module({
  imports: [AuditModule, EventsModule, WorkersModule, ProjectsModule, IdempotencyModule, StorageModule],
  controllers: [TasksController, TaskWorkflowController],
  providers: [BoardRepository, BoardService, TasksRepository, TaskTree, TaskWriter, TasksService, TaskWorkflowService],
  exports: [TasksRepository, TaskTree, TaskWriter, TasksService, TaskWorkflowService],
})
export class TasksModule {}
