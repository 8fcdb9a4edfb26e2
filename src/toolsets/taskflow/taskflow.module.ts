import { Module } from '@nestjs/common';
import { OrchestrationModule } from '../../orchestration/orchestration.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { taskflowToolset } from './taskflow.toolset.js';

@Module({ imports: [ProjectsModule, TasksModule, OrchestrationModule], providers: [...taskflowToolset.tools] })
export class TaskflowModule {}
