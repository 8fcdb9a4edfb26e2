import { Module } from '@nestjs/common';
import { OrchestrationModule } from '../../orchestration/orchestration.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { TaskflowBoardRepository } from './taskflow-board.repository.js';
import { TaskflowBoardService } from './taskflow-board.service.js';
import { taskflowToolset } from './taskflow.toolset.js';

@Module({
  imports: [ProjectsModule, TasksModule, OrchestrationModule],
  providers: [TaskflowBoardRepository, TaskflowBoardService, ...taskflowToolset.tools],
})
export class TaskflowModule {}
