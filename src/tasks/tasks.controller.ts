import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { ProjectTarget } from '../projects/project.dto.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { AddedTaskOutput, AddTaskInput, PutTaskInput, TaskOutput, TaskTarget } from './task.dto.js';
import {
  ListDeletedTasksOutput,
  ListSubtasksInput,
  ListSubtasksOutput,
  ListProjectTasksInput,
  ListTasksOutput,
} from './task-list.dto.js';
import { BoardInput, BoardOutput } from './board.dto.js';
import { BoardService } from './board.service.js';
import { TasksService } from './tasks.service.js';

@ApiTags('tasks')
@Controller('api')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly board: BoardService,
  ) {}

  @Endpoint('GET projects/:project_id/board', {
    summary: 'Read the board of a project: five columns with the newest cards of each.',
    scope: 'read',
    output: BoardOutput,
    errors: ['project_not_found', 'not_a_member', 'query_too_broad'],
  })
  readBoard(@Input() input: BoardInput, @Caller() caller: Principal): Promise<BoardOutput> {
    return this.board.get(input, caller);
  }

  @Endpoint('GET projects/:project_id/tasks', {
    summary: 'List the tasks of a project, newest first.',
    scope: 'read',
    output: ListTasksOutput,
    errors: ['project_not_found', 'not_a_member', 'query_too_broad'],
  })
  listTasks(@Input() input: ListProjectTasksInput, @Caller() caller: Principal): Promise<ListTasksOutput> {
    return this.tasks.list(input, caller);
  }

  @Endpoint('GET projects/:project_id/deleted-tasks', {
    summary: 'List the tasks of a project that were deleted in the last 24 hours, and can be restored.',
    scope: 'read',
    output: ListDeletedTasksOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  listDeletedTasks(@Input() input: ProjectTarget, @Caller() caller: Principal): Promise<ListDeletedTasksOutput> {
    return this.tasks.listDeleted(input.project_id, caller);
  }

  @Endpoint('POST projects/:project_id/tasks', {
    summary: 'Create a task.',
    scope: 'write',
    status: 201,
    location: '/api/tasks/{task_id}',
    output: AddedTaskOutput,
    errors: ['project_not_found', 'not_a_member', 'too_much_stored'],
  })
  async createTask(@Input() input: AddTaskInput, @Caller() caller: Principal): Promise<AddedTaskOutput> {
    return this.tasks.added(await this.tasks.create(input, caller), caller);
  }

  @Endpoint('GET tasks/:task_id', {
    summary: 'Get a task.',
    scope: 'read',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member'],
  })
  getTask(@Input() input: TaskTarget, @Caller() caller: Principal): Promise<TaskOutput> {
    return this.tasks.get(input.task_id, caller);
  }

  @Endpoint('GET tasks/:task_id/subtasks', {
    summary: 'List the tasks directly below a task, newest first.',
    scope: 'read',
    output: ListSubtasksOutput,
    errors: ['task_not_found', 'not_a_member'],
  })
  listSubtasks(@Input() input: ListSubtasksInput, @Caller() caller: Principal): Promise<ListSubtasksOutput> {
    return this.tasks.listSubtasks(input, caller);
  }

  @Endpoint('PUT tasks/:task_id', {
    summary: 'Update the fields, status or stage of a task.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'task_changed', 'too_much_stored'],
  })
  updateTask(@Input() input: PutTaskInput, @Caller() caller: Principal): Promise<TaskOutput> {
    return this.tasks.update(input, caller);
  }
}
