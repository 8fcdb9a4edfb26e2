import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { ThoughtsController } from './thoughts.controller.js';
import { ThoughtsRepository } from './thoughts.repository.js';
import { ThoughtsService } from './thoughts.service.js';

@Module({ imports: [TasksModule], controllers: [ThoughtsController], providers: [ThoughtsRepository, ThoughtsService], exports: [ThoughtsService] })
export class ThoughtsModule {}
