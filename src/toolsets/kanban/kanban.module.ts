import { Injectable, Module } from '@nestjs/common';
import { AttemptsModule } from '../../attempts/attempts.module.js';
import { AttemptsRepository } from '../../attempts/attempts.repository.js';
import { DeliveriesModule } from '../../deliveries/deliveries.module.js';
import { ExecutionsModule } from '../../executions/executions.module.js';
import { ExecutorsModule } from '../../executors/executors.module.js';
import { AttemptBinding } from '../../mcp/attempt-binding.js';
import { CompletionSource } from '../../mcp/completion-source.js';
import { OrchestrationModule } from '../../orchestration/orchestration.module.js';
import type { Principal } from '../../platform/access/principal.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { KanbanCompletions } from './kanban-completions.js';
import { kanbanToolset } from './kanban.toolset.js';

@Injectable()
class VisibleAttempts extends AttemptBinding {
  constructor(private readonly attempts: AttemptsRepository) {
    super();
  }

  async check(attempt_id: string, principal: Principal): Promise<void> {
    await this.attempts.get(principal, attempt_id);
  }
}

@Module({
  imports: [
    ProjectsModule,
    TasksModule,
    AttemptsModule,
    SessionsModule,
    ExecutionsModule,
    ExecutorsModule,
    OrchestrationModule,
    DeliveriesModule,
    WorkspacesModule,
  ],
  providers: [
    ...kanbanToolset.tools,
    { provide: AttemptBinding, useClass: VisibleAttempts },
    { provide: CompletionSource, useClass: KanbanCompletions },
  ],
})
export class KanbanModule {}
