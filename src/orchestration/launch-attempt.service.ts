import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import { taskText } from '../tasks/task-text.js';
import type { Task } from '../tasks/task.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { AttemptPlan } from './attempt-plan.js';
import type {
  CreateAttemptInput,
  CreatedSessionOutput,
  CreateSessionInput,
  StartedAttemptOutput,
} from './attempt-start.dto.js';
import { branchName } from './branch-name.js';
import { PREPARE_WORKSPACE } from './chores.js';
import { newSession } from './new-session.js';
import { TurnsService } from './turns.service.js';

interface Opening {
  executor: string;
  variant: string | null;
  prompt?: string;
  timeout_secs?: number;
}

/** Starts work: attempt, session, run, job and idempotency record in one transaction. The worktrees are the run's first step. */
@Injectable()
export class LaunchAttemptService {
  constructor(
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    private readonly idempotency: IdempotencyService,
    private readonly plan: AttemptPlan,
    private readonly executors: ExecutorCatalogue,
    private readonly tasks: TasksRepository,
    private readonly attempts: AttemptsRepository,
    private readonly sessions: SessionsRepository,
    private readonly turns: TurnsService,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError task_not_found, executor_unknown, variant_unknown, executor_unavailable, repo_not_in_project, branch_unknown, idempotency_conflict */
  async start({ request_id, ...input }: CreateAttemptInput, principal: Principal): Promise<StartedAttemptOutput> {
    const request = { operation: 'start_task_attempt', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<StartedAttemptOutput>(request);
    if (earlier) return earlier;
    const chosen = input.executor === undefined ? null : await this.executors.choose(input.executor, input.variant);
    const { project_id, repos } = await this.plan.make(input.task_id, input.repos, principal);
    return this.idempotency.once({ ...request, project_id }, async (tx) => {
      const task = await this.tasks.lock(tx, principal, input.task_id);
      const attempt = newAttempt(task.id, project_id, task.title);
      await this.attempts.insert(
        attempt,
        repos.map((repo) => ({ ...repo, attempt_id: attempt.id })),
      );
      const started = { task_id: task.id, attempt_id: attempt.id, workspace_branch: attempt.branch };
      if (chosen === null) {
        await this.audit.record(tx, principal, {
          entity_type: 'task',
          entity_id: task.id,
          task_id: task.id,
          project_id,
          action: 'attempt_opened',
          details: { attempt_id: attempt.id },
        });
        await this.queue.addChore({ kind: PREPARE_WORKSPACE, data: { attempt_id: attempt.id } });
        return { ...started, session_id: null, execution_process_id: null };
      }
      return { ...started, ...(await this.open(tx, attempt, task, { ...input, ...chosen }, principal)) };
    });
  }

  /** A further session in an attempt that is idle. @throws AppError attempt_not_found, session_busy, executor_unknown, variant_unknown, executor_unavailable */
  async openSession({ request_id, ...input }: CreateSessionInput, principal: Principal): Promise<CreatedSessionOutput> {
    const request = { operation: 'create_session', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<CreatedSessionOutput>(request);
    if (earlier) return earlier;
    const chosen = await this.executors.choose(input.executor, input.variant);
    return this.idempotency.once(request, async (tx) => {
      const attempt = await this.attempts.lock(principal, input.attempt_id);
      const task = await this.tasks.lock(tx, principal, attempt.task_id);
      return { attempt_id: attempt.id, ...(await this.open(tx, attempt, task, { ...input, ...chosen }, principal)) };
    });
  }

  /** Without a prompt of its own the first turn is told the text of the task, as it is now. */
  private async open(
    tx: Transaction,
    attempt: Attempt,
    task: Task,
    { executor, variant, prompt, timeout_secs }: Opening,
    principal: Principal,
  ) {
    const session = newSession(attempt, executor, variant);
    await this.sessions.insert(session);
    const execution = await this.turns.begin(
      tx,
      attempt,
      session,
      {
        prompt: prompt ?? taskText(task),
        is_task_text: prompt === undefined,
        variant,
        timeout_secs: timeout_secs ?? null,
      },
      principal,
    );
    return { session_id: session.id, execution_process_id: execution.id };
  }
}

function newAttempt(task_id: string, project_id: string, title: string): Attempt {
  const now = new Date();
  const id = newId();
  return {
    id,
    task_id,
    project_id,
    branch: branchName(id, title),
    workspace_state: 'preparing',
    runner_id: null,
    created_at: now,
    updated_at: now,
  } as Attempt;
}
