import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TasksController } from './tasks.controller.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksService } from './tasks.service.js';

@Module({ imports: [ProjectsModule, IdempotencyModule], controllers: [TasksController], providers: [TasksRepository, TasksService], exports: [TasksRepository, TasksService] })
export class TasksModule {}
