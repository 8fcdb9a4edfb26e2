import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ThoughtsController } from './thoughts.controller.js';
import { ThoughtsRepository } from './thoughts.repository.js';
import { ThoughtsService } from './thoughts.service.js';

@Module({
  imports: [AuditModule, TasksModule],
  controllers: [ThoughtsController],
  providers: [ThoughtsRepository, ThoughtsService],
  exports: [ThoughtsService],
})
export class ThoughtsModule {}
