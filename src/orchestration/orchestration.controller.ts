import { Controller } from '@nestjs/common';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import type { Principal } from '../platform/access/principal.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { DeletedProjectOutput, ProjectTarget } from '../projects/project.dto.js';
import { QueueOutput, SessionTarget } from '../sessions/session.dto.js';
import { DeletedTaskOutput, TaskTarget } from '../tasks/task.dto.js';
import {
  CreateAttemptInput,
  CreatedSessionOutput,
  CreateSessionInput,
  StartedAttemptOutput,
} from './attempt-start.dto.js';
import { DeleteProjectService } from './delete-project.service.js';
import { DeleteTaskService } from './delete-task.service.js';
import { FollowUpInput, FollowUpOutput } from './follow-up.dto.js';
import { FollowUpService } from './follow-up.service.js';
import { StartAttemptService } from './start-attempt.service.js';
import { StartSessionService } from './start-session.service.js';
import { StopAttemptInput, StopAttemptOutput } from './stop-attempt.dto.js';
import { StopAttemptService } from './stop-attempt.service.js';

const turnErrors: ErrorCode[] = ['variant_unknown', 'executor_unavailable', 'too_many_runs', 'too_much_stored'];
const startErrors: ErrorCode[] = ['executor_unknown', ...turnErrors];
const followUpErrors: ErrorCode[] = [
  ...turnErrors,
  'session_busy',
  'no_session_yet',
  'no_operation',
  ...worktreeErrors,
];

@Controller('api')
export class OrchestrationController {
  constructor(
    private readonly attempts: StartAttemptService,
    private readonly sessions: StartSessionService,
    private readonly followUps: FollowUpService,
    private readonly stops: StopAttemptService,
    private readonly taskDeletion: DeleteTaskService,
    private readonly projectDeletion: DeleteProjectService,
  ) {}

  @Endpoint({
    tag: 'attempts',
    method: 'POST',
    path: 'tasks/:task_id/attempts',
    summary: 'Start an attempt; without an executor, only prepare its worktrees.',
    scope: 'execute',
    status: 201,
    location: '/api/attempts/{attempt_id}',
    input: CreateAttemptInput,
    example: { executor: 'SHELL' },
    output: StartedAttemptOutput,
    errors: [
      'task_not_found',
      'repo_not_in_project',
      'branch_unknown',
      'git_failed',
      'workspace_unavailable',
      ...startErrors,
    ],
  })
  startAttempt(
    @Input(CreateAttemptInput) input: CreateAttemptInput,
    @Caller() caller: Principal,
  ): Promise<StartedAttemptOutput> {
    return this.attempts.start(input, caller);
  }

  @Endpoint({
    tag: 'sessions',
    method: 'POST',
    path: 'attempts/:attempt_id/sessions',
    summary: 'Start another session in an idle attempt.',
    scope: 'execute',
    status: 201,
    location: '/api/sessions/{session_id}',
    input: CreateSessionInput,
    example: { executor: 'SHELL', prompt: 'npm test' },
    output: CreatedSessionOutput,
    errors: ['attempt_not_found', 'session_busy', ...startErrors],
  })
  startSession(
    @Input(CreateSessionInput) input: CreateSessionInput,
    @Caller() caller: Principal,
  ): Promise<CreatedSessionOutput> {
    return this.sessions.start(input, caller);
  }

  @Endpoint({
    tag: 'attempts',
    method: 'POST',
    path: 'attempts/:attempt_id/follow-up',
    summary: 'Send, queue or cancel a message for the latest session of an attempt.',
    scope: 'execute',
    input: FollowUpInput,
    example: { action: 'send', prompt: 'npm test' },
    output: FollowUpOutput,
    errors: ['attempt_not_found', ...followUpErrors],
  })
  followUpAttempt(@Input(FollowUpInput) input: FollowUpInput, @Caller() caller: Principal): Promise<FollowUpOutput> {
    return this.followUps.followUp(input, caller);
  }

  @Endpoint({
    tag: 'sessions',
    method: 'POST',
    path: 'sessions/:session_id/follow-up',
    summary: 'Send, queue or cancel a message for a session.',
    scope: 'execute',
    input: FollowUpInput,
    example: { action: 'send', prompt: 'npm test' },
    output: FollowUpOutput,
    errors: ['session_not_found', ...followUpErrors],
  })
  followUpSession(@Input(FollowUpInput) input: FollowUpInput, @Caller() caller: Principal): Promise<FollowUpOutput> {
    return this.followUps.followUp(input, caller);
  }

  @Endpoint({
    tag: 'sessions',
    method: 'DELETE',
    path: 'sessions/:session_id/queue',
    summary: 'Cancel the queued message of a session.',
    scope: 'execute',
    input: SessionTarget,
    output: QueueOutput,
    errors: ['session_not_found'],
  })
  async cancelQueuedMessage(
    @Input(SessionTarget) { session_id }: SessionTarget,
    @Caller() caller: Principal,
  ): Promise<QueueOutput> {
    const { status, queued_message } = await this.followUps.followUp({ action: 'cancel', session_id }, caller);
    return { session_id, status, queued_message };
  }

  @Endpoint({
    tag: 'attempts',
    method: 'POST',
    path: 'attempts/:attempt_id/stop',
    summary: 'Stop the live run of an attempt.',
    scope: 'execute',
    input: StopAttemptInput,
    output: StopAttemptOutput,
    errors: ['attempt_not_found'],
  })
  stopAttempt(
    @Input(StopAttemptInput) input: StopAttemptInput,
    @Caller() caller: Principal,
  ): Promise<StopAttemptOutput> {
    return this.stops.stop(input, caller);
  }

  @Endpoint({
    tag: 'tasks',
    method: 'DELETE',
    path: 'tasks/:task_id',
    summary: 'Delete a task; its worktrees are removed in the background.',
    scope: 'write',
    input: TaskTarget,
    output: DeletedTaskOutput,
    errors: ['task_not_found', 'not_a_member', 'task_has_subtasks', 'task_running'],
  })
  deleteTask(@Input(TaskTarget) input: TaskTarget, @Caller() caller: Principal): Promise<DeletedTaskOutput> {
    return this.taskDeletion.deleteTask(input.task_id, caller);
  }

  @Endpoint({
    tag: 'projects',
    method: 'DELETE',
    path: 'projects/:project_id',
    summary: 'Delete a project and its tasks.',
    scope: 'write',
    role: 'owner',
    input: ProjectTarget,
    output: DeletedProjectOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'project_in_use'],
  })
  deleteProject(
    @Input(ProjectTarget) input: ProjectTarget,
    @Caller() caller: Principal,
  ): Promise<DeletedProjectOutput> {
    return this.projectDeletion.deleteProject(input.project_id, caller);
  }
}
