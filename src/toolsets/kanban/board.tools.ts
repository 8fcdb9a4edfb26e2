/** Projects, repositories, executors and tasks: what an agent chooses its work from. */
import { ListEventsOutput, ProjectChangesInput } from '../../events/event.dto.js';
import { ProjectChanges } from '../../events/project-changes.service.js';
import { ExecutorCatalogue } from '../../executors/executor-catalogue.js';
import { ListExecutorsInput, ListExecutorsOutput } from '../../executors/executor.dto.js';
import { type CallContext, Tool, type ToolHandler } from '../../mcp/tool.js';
import { DeletionService } from '../../work/deletion.service.js';
import { ListProjectsInput, ListProjectsOutput } from '../../projects/project.dto.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { ListReposInput, ListReposOutput } from '../../projects/repo.dto.js';
import {
  TaskTarget,
  OneTaskOutput,
  CreatedTaskOutput,
  UpdateTaskInput,
  DeletedTaskOutput,
} from '../../tasks/task.dto.js';
import { ListTasksInput, ListTasksOutput } from '../../tasks/task-list.dto.js';
import { NewTaskService } from '../../work/new-task.service.js';
import { CreateTaskInput } from '../../work/work.dto.js';
import { TasksService } from '../../tasks/tasks.service.js';

@Tool({
  name: 'list_projects',
  title: 'List projects',
  input: ListProjectsInput,
  output: ListProjectsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You need a project_id.',
    next: 'list_tasks',
    avoid: 'Guessing ids.',
  },
})
export class ListProjectsTool implements ToolHandler<ListProjectsInput, ListProjectsOutput> {
  constructor(private readonly projects: ProjectsService) {}

  call(input: ListProjectsInput, { principal }: CallContext): Promise<ListProjectsOutput> {
    return this.projects.list(input, principal);
  }
}

@Tool({
  name: 'list_repos',
  title: 'List repositories',
  input: ListReposInput,
  output: ListReposOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You choose repositories or base branches.',
    next: 'start_task_attempt',
    avoid: 'Listing them to work in all: leave out repos.',
  },
})
export class ListReposTool implements ToolHandler<ListReposInput, ListReposOutput> {
  constructor(private readonly projects: ProjectsService) {}

  call(input: ListReposInput, { principal }: CallContext): Promise<ListReposOutput> {
    return this.projects.listRepos(input, principal);
  }
}

@Tool({
  name: 'list_executors',
  title: 'List executors',
  input: ListExecutorsInput,
  output: ListExecutorsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You choose an executor or variant.',
    next: 'start_task_attempt',
    avoid: 'all, except to learn why one is missing.',
  },
})
export class ListExecutorsTool implements ToolHandler<ListExecutorsInput, ListExecutorsOutput> {
  constructor(private readonly catalogue: ExecutorCatalogue) {}

  async call({ all }: ListExecutorsInput): Promise<ListExecutorsOutput> {
    const executors = (await this.catalogue.list()).filter(({ is_available }) => all || is_available);
    return { executors, count: executors.length };
  }
}

@Tool({
  name: 'list_tasks',
  title: 'List tasks',
  input: ListTasksInput,
  output: ListTasksOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want tasks of a project and their latest attempts.',
    next: 'get_task',
    avoid: 'Finding one task by its id; use get_task.',
  },
})
export class ListTasksTool implements ToolHandler<ListTasksInput, ListTasksOutput> {
  constructor(private readonly tasks: TasksService) {}

  call(input: ListTasksInput, { principal }: CallContext): Promise<ListTasksOutput> {
    return this.tasks.list(input, principal);
  }
}

@Tool({
  name: 'list_events',
  title: 'List events',
  input: ProjectChangesInput,
  output: ListEventsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want what changed since you last asked.',
    next: 'get_task',
    avoid: 'Leaving out after once you have next_after.',
  },
})
export class ListEventsTool implements ToolHandler<ProjectChangesInput, ListEventsOutput> {
  constructor(private readonly changes: ProjectChanges) {}

  call(input: ProjectChangesInput, { principal }: CallContext): Promise<ListEventsOutput> {
    return this.changes.since(input, principal);
  }
}

@Tool({
  name: 'get_task',
  title: 'Get a task',
  input: TaskTarget,
  output: OneTaskOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want one task in full.',
    next: 'start_task_attempt',
    avoid: 'Polling it; use get_attempt_status with wait_ms.',
  },
})
export class GetTaskTool implements ToolHandler<TaskTarget, OneTaskOutput> {
  constructor(private readonly tasks: TasksService) {}

  call({ task_id }: TaskTarget, { principal }: CallContext): Promise<OneTaskOutput> {
    return this.tasks.get(task_id, principal).then((task) => ({ task }));
  }
}

@Tool({
  name: 'create_task',
  title: 'Create a task',
  input: CreateTaskInput,
  output: CreatedTaskOutput,
  effect: 'create',
  scope: 'write',
  forRuns: 'own',
  guide: {
    useWhen: 'You add a task, with executor to begin at once.',
    next: 'start_task_attempt, or get_attempt_status with executor',
    avoid: 'Retrying without the same request_id.',
  },
})
export class CreateTaskTool implements ToolHandler<CreateTaskInput, CreatedTaskOutput> {
  constructor(private readonly tasks: NewTaskService) {}

  call(input: CreateTaskInput, { principal }: CallContext): Promise<CreatedTaskOutput> {
    return this.tasks.create(input, principal);
  }
}

@Tool({
  name: 'update_task',
  title: 'Update a task',
  input: UpdateTaskInput,
  output: OneTaskOutput,
  effect: 'update',
  scope: 'write',
  forRuns: 'own',
  guide: {
    useWhen: 'You change a task.',
    next: 'get_task',
    avoid: 'Starting work by status; use start_task_attempt.',
  },
})
export class UpdateTaskTool implements ToolHandler<UpdateTaskInput, OneTaskOutput> {
  constructor(private readonly tasks: TasksService) {}

  async call(input: UpdateTaskInput, { principal }: CallContext): Promise<OneTaskOutput> {
    return { task: await this.tasks.update(input, principal) };
  }
}

@Tool({
  name: 'delete_task',
  title: 'Delete a task',
  input: TaskTarget,
  output: DeletedTaskOutput,
  effect: 'delete',
  scope: 'write',
  guide: {
    useWhen: 'You no longer need a task and its worktrees.',
    next: 'list_tasks',
    avoid: 'Deleting work that is not merged; set status done.',
  },
})
export class DeleteTaskTool implements ToolHandler<TaskTarget, DeletedTaskOutput> {
  constructor(private readonly deletion: DeletionService) {}

  call(input: TaskTarget, { principal }: CallContext): Promise<DeletedTaskOutput> {
    return this.deletion.deleteTask(input.task_id, principal);
  }
}
