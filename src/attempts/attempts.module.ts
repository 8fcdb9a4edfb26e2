import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AttemptsController } from './attempts.controller.js';
import { AttemptsRepository } from './attempts.repository.js';
import { AttemptsService } from './attempts.service.js';
import { ReadyWorkspaces } from './ready-workspaces.js';
import { WorkspaceSnapshotsRepository } from './workspace-snapshots.repository.js';

@Module({
  imports: [TasksModule, WorkspacesModule],
  controllers: [AttemptsController],
  providers: [AttemptsRepository, AttemptsService, ReadyWorkspaces, WorkspaceSnapshotsRepository],
  exports: [AttemptsRepository, AttemptsService, ReadyWorkspaces, WorkspaceSnapshotsRepository],
})
export class AttemptsModule {}
