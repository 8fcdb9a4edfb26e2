/** TaskFlow's board: list, add, edit, assign and delete. */
import { type CallContext, Tool, type ToolContext, type ToolHandler } from '../../mcp/tool.js';
import { DeletionService } from '../../work/deletion.service.js';
import { ActingWorkerService } from '../../projects/acting-worker.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { TaskWorkflowService } from '../../tasks/task-workflow.service.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { toTaskflowRow, toChangedTask } from './taskflow-answers.js';
import { TaskflowBoardService } from './taskflow-board.service.js';
import {
  ActingUser,
  TaskflowProjects,
  ListTaskflowTasks,
  TaskflowRows,
  AddTaskflowTask,
  ChangedTaskOutput,
  UpdateTaskflowTask,
  AssignTaskflowTask,
  UserTask,
} from './taskflow.dto.js';

/** No tool of this dialect gives a user a project. */
const NO_PROJECT =
  'This user belongs to no project. Ask the owner of one to add it as a member, on the page of the project or with ' +
  'POST /api/projects/<project_id>/members; then call {next:list_projects} again.';

@Tool({
  name: 'taskflow_list_projects',
  title: 'List projects',
  input: ActingUser,
  output: TaskflowProjects,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: "You need the project_id of one of the user's projects.",
    next: 'taskflow_list_tasks',
    avoid: 'Expecting projects of other people.',
  },
})
export class TaskflowListProjectsTool implements ToolHandler<ActingUser, TaskflowProjects> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly projects: ProjectsService,
  ) {}

  async call({ user_id }: ActingUser, context: ToolContext): Promise<TaskflowProjects> {
    const result = await this.projects.listOwn(await this.actors.readIn(context, user_id));
    return result.length > 0 ? { result } : { result, ...context.wording(NO_PROJECT) };
  }
}

@Tool({
  name: 'taskflow_list_tasks',
  title: 'List tasks',
  input: ListTaskflowTasks,
  output: TaskflowRows,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the tasks of a project with their status and assignee.',
    next: 'taskflow_start_task',
    avoid: 'Guessing project_id; get it from taskflow_list_projects.',
  },
})
export class TaskflowListTasksTool implements ToolHandler<ListTaskflowTasks, TaskflowRows> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly board: TaskflowBoardService,
  ) {}

  async call({ user_id, ...input }: ListTaskflowTasks, context: CallContext): Promise<TaskflowRows> {
    return { result: (await this.board.list(input, await this.actors.readIn(context, user_id))).map(toTaskflowRow) };
  }
}

@Tool({
  name: 'taskflow_add_task',
  title: 'Add a task',
  input: AddTaskflowTask,
  output: ChangedTaskOutput,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You want to add a task to a project.',
    next: 'taskflow_start_task',
    avoid: 'Retrying without the same request_id.',
  },
})
export class TaskflowAddTaskTool implements ToolHandler<AddTaskflowTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, ...input }: AddTaskflowTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    const { replayed, ...task } = await this.tasks.added(await this.tasks.create(input, acting), acting);
    return { ...toChangedTask(task, 'created'), ...(replayed && { replayed }) };
  }
}

@Tool({
  name: 'taskflow_update_task',
  title: 'Update a task',
  input: UpdateTaskflowTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You want to change the title or description of a task.',
    next: 'taskflow_list_tasks',
    avoid: 'Calling it with neither title nor description; the status has its own tools.',
  },
})
export class TaskflowUpdateTaskTool implements ToolHandler<UpdateTaskflowTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly board: TaskflowBoardService,
  ) {}

  async call({ user_id, ...input }: UpdateTaskflowTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    return toChangedTask(await this.board.edit(input, acting), 'updated');
  }
}

@Tool({
  name: 'taskflow_assign_task',
  title: 'Assign a task',
  input: AssignTaskflowTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You want to assign a task to a person or an agent.',
    next: 'taskflow_list_tasks',
    avoid: 'Passing both assignee_id and assignee_handle; assigning a worker who is not a member.',
  },
})
export class TaskflowAssignTaskTool implements ToolHandler<AssignTaskflowTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, ...input }: AssignTaskflowTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.assign(input, acting);
    return toChangedTask(await this.tasks.get(input.task_id, acting), 'assigned');
  }
}

@Tool({
  name: 'taskflow_delete_task',
  title: 'Delete a task',
  input: UserTask,
  output: ChangedTaskOutput,
  effect: 'delete',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You no longer need a task.',
    next: 'taskflow_list_tasks',
    avoid: 'Deleting a task that has subtasks; delete the subtasks first.',
  },
})
export class TaskflowDeleteTaskTool implements ToolHandler<UserTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly tasks: TasksService,
    private readonly deletion: DeletionService,
  ) {}

  async call({ user_id, task_id }: UserTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    const task = await this.tasks.get(task_id, acting);
    await this.deletion.deleteTask(task_id, acting);
    return toChangedTask(task, 'deleted');
  }
}
