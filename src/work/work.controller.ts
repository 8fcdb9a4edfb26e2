import { Controller } from '@nestjs/common';
import { AnswerApprovalInput, ApprovalOutput } from '../approvals/approval.dto.js';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import { answerErrors } from '../deliveries/delivery-refusals.js';
import type { Principal } from '../platform/access/principal.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { DeletedProjectOutput, ProjectTarget } from '../projects/project.dto.js';
import { ArchiveTaskInput, DeletedTaskOutput, TaskOutput, TaskTarget } from '../tasks/task.dto.js';
import { AnswerApprovalService } from './answer-approval.service.js';
import { ArchiveService } from './archive.service.js';
import { DeletionService } from './deletion.service.js';
import { FollowUpService } from './follow-up.service.js';
import { RetryService } from './retry.service.js';
import { StartService } from './start.service.js';
import { StopAttemptService } from './stop-attempt.service.js';
import {
  CreateAttemptInput,
  CreatedSessionOutput,
  CreateSessionInput,
  FollowUpInput,
  FollowUpOutput,
  RetryInput,
  RetryOutput,
  StartedAttemptOutput,
  StopAttemptInput,
  StopAttemptOutput,
} from './work.dto.js';

const turnErrors: ErrorCode[] = [
  'variant_unknown',
  'executor_unavailable',
  'secret_missing',
  'isolation_unavailable',
  'network_unavailable',
  'too_many_runs',
  'too_much_stored',
];
const startErrors: ErrorCode[] = ['executor_unknown', ...turnErrors];
const followUpErrors: ErrorCode[] = [
  ...turnErrors,
  'executor_takes_scripts',
  'session_busy',
  'session_reviews',
  'delivery_in_progress',
  'no_session_yet',
  'no_operation',
  'comment_not_found',
  'comment_sent',
  'comment_changed',
  ...worktreeErrors,
];

@Controller('api')
export class WorkController {
  constructor(
    private readonly starts: StartService,
    private readonly followUps: FollowUpService,
    private readonly retries: RetryService,
    private readonly stops: StopAttemptService,
    private readonly answers: AnswerApprovalService,
    private readonly deletion: DeletionService,
    private readonly archives: ArchiveService,
  ) {}

  @Endpoint('POST tasks/:task_id/attempts', {
    tag: 'attempts',
    summary: 'Start an attempt; without an executor, only prepare its worktrees.',
    scope: 'execute',
    status: 201,
    location: '/api/attempts/{attempt_id}',
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
  startAttempt(@Input() input: CreateAttemptInput, @Caller() caller: Principal): Promise<StartedAttemptOutput> {
    return this.starts.startAttempt(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/sessions', {
    tag: 'sessions',
    summary: 'Start another session in an idle attempt.',
    scope: 'execute',
    status: 201,
    location: '/api/sessions/{session_id}',
    example: { executor: 'SHELL', prompt: 'npm test' },
    output: CreatedSessionOutput,
    errors: ['attempt_not_found', 'session_busy', 'delivery_in_progress', 'workspace_lost', ...startErrors],
  })
  startSession(@Input() input: CreateSessionInput, @Caller() caller: Principal): Promise<CreatedSessionOutput> {
    return this.starts.startSession(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/follow-up', {
    tag: 'attempts',
    summary: 'Send, queue or cancel a message for the latest session of an attempt.',
    scope: 'execute',
    example: { action: 'send', prompt: 'npm test' },
    output: FollowUpOutput,
    errors: ['attempt_not_found', ...followUpErrors],
  })
  followUpAttempt(@Input() input: FollowUpInput, @Caller() caller: Principal): Promise<FollowUpOutput> {
    return this.followUps.followUp(input, caller);
  }

  @Endpoint('POST sessions/:session_id/follow-up', {
    tag: 'sessions',
    summary: 'Send, queue or cancel a message for a session.',
    scope: 'execute',
    example: { action: 'send', prompt: 'npm test' },
    output: FollowUpOutput,
    errors: ['session_not_found', ...followUpErrors],
  })
  followUpSession(@Input() input: FollowUpInput, @Caller() caller: Principal): Promise<FollowUpOutput> {
    return this.followUps.followUp(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/retry', {
    tag: 'attempts',
    summary: 'Run the last message of the latest session again.',
    scope: 'execute',
    output: RetryOutput,
    errors: [
      'attempt_not_found',
      'no_session_yet',
      'session_busy',
      'delivery_in_progress',
      'workspace_lost',
      ...turnErrors,
    ],
  })
  retryAttempt(@Input() input: RetryInput, @Caller() caller: Principal): Promise<RetryOutput> {
    return this.retries.retry(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/stop', {
    tag: 'attempts',
    summary: 'Stop the live run of an attempt.',
    scope: 'execute',
    output: StopAttemptOutput,
    errors: ['attempt_not_found'],
  })
  stopAttempt(@Input() input: StopAttemptInput, @Caller() caller: Principal): Promise<StopAttemptOutput> {
    return this.stops.stop(input, caller);
  }

  @Endpoint('POST approvals/:approval_id/answer', {
    tag: 'approvals',
    summary: 'Approve or deny a request; an approved delivery is performed.',
    scope: 'approve',
    output: ApprovalOutput,
    errors: answerErrors,
  })
  answerApproval(@Input() input: AnswerApprovalInput, @Caller() caller: Principal): Promise<ApprovalOutput> {
    return this.answers.answer(input, caller);
  }

  @Endpoint('DELETE tasks/:task_id', {
    tag: 'tasks',
    summary: 'Delete a task; its worktrees are removed after 24 hours, until when it can be restored.',
    scope: 'write',
    output: DeletedTaskOutput,
    errors: ['task_not_found', 'not_a_member', 'task_has_subtasks', 'task_running'],
  })
  deleteTask(@Input() input: TaskTarget, @Caller() caller: Principal): Promise<DeletedTaskOutput> {
    return this.deletion.deleteTask(input.task_id, caller);
  }

  @Endpoint('POST tasks/:task_id/restore', {
    tag: 'tasks',
    summary: 'Restore a task that was deleted in the last 24 hours.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'restore_too_late', 'parent_deleted'],
  })
  restoreTask(@Input() input: TaskTarget, @Caller() caller: Principal): Promise<TaskOutput> {
    return this.deletion.restoreTask(input.task_id, caller);
  }

  @Endpoint('POST tasks/:task_id/archive', {
    tag: 'tasks',
    summary: 'Take a task off the board and out of all lists, or back; one that is run comes back by itself.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'forbidden', 'task_running'],
  })
  archiveTask(@Input() input: ArchiveTaskInput, @Caller() caller: Principal): Promise<TaskOutput> {
    return this.archives.archive(input, caller);
  }

  @Endpoint('DELETE projects/:project_id', {
    tag: 'projects',
    summary: 'Delete a project and its tasks.',
    scope: 'write',
    role: 'owner',
    output: DeletedProjectOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'project_in_use'],
  })
  deleteProject(@Input() input: ProjectTarget, @Caller() caller: Principal): Promise<DeletedProjectOutput> {
    return this.deletion.deleteProject(input.project_id, caller);
  }
}
