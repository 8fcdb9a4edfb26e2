import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ThoughtsController } from './thoughts.controller.js';
import { ThoughtsRepository } from './thoughts.repository.js';
import { ThoughtsService } from './thoughts.service.js';

@Module({
  imports: [AuditModule, StorageModule, TasksModule],
  controllers: [ThoughtsController],
  providers: [ThoughtsRepository, ThoughtsService],
  exports: [ThoughtsService],
})
export class ThoughtsModule {}
