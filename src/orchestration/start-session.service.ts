import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/run-rights.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import type { Task } from '../tasks/task.entity.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { AttemptOfTurn } from '../turns/turn-executions.js';
import { TurnsService } from '../turns/turns.service.js';
import type { CreatedSessionOutput, CreateSessionInput } from './attempt-start.dto.js';
import { ExecutorChoice } from './executor-choice.js';

interface FirstTurn {
  executor: string;
  variant: string | null;
  prompt?: string;
  timeout_secs?: number;
}

/** Starts a session with its first turn. */
@Injectable()
export class StartSessionService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorChoice,
    private readonly taskRows: TasksRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly turns: TurnsService,
  ) {}

  /** A further session in an attempt that is idle.
   *  @throws AppError attempt_not_found, session_busy, executor_unknown, variant_unknown, executor_unavailable */
  async start({ request_id, ...input }: CreateSessionInput, principal: Principal): Promise<CreatedSessionOutput> {
    const request = { operation: 'create_session', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<CreatedSessionOutput>(request);
    if (earlier) return earlier;
    const { executor, variant } = input;
    const chosen = await this.executors.choose({ executor, variant }, principal);
    return this.idempotency.once(request, async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, input.attempt_id);
      requireMade(principal, attempt);
      const task = await this.taskRows.lock(tx, principal, attempt.task_id);
      const started = await this.begin(tx, attempt, task, { ...input, ...chosen }, principal);
      return { attempt_id: attempt.id, ...started };
    });
  }

  /** Without a prompt of its own the first turn works on the text of the task, as it is now. */
  async begin(
    tx: Transaction,
    attempt: AttemptOfTurn,
    task: Task,
    { executor, variant, prompt, timeout_secs }: FirstTurn,
    principal: Principal,
  ): Promise<{ session_id: string; execution_process_id: string }> {
    const session = newSession(attempt, executor, variant);
    await this.sessionRows.insert(tx, session);
    const is_task_text = prompt === undefined;
    const message = { prompt: prompt ?? taskText(task), is_task_text, variant, timeout_secs: timeout_secs ?? null };
    const execution = await this.turns.start(tx, attempt, session, message, principal);
    return { session_id: session.id, execution_process_id: execution.id };
  }
}

function newSession({ id: attempt_id, project_id }: AttemptOfTurn, executor: string, variant: string | null): Session {
  const now = new Date();
  return {
    id: newId(),
    attempt_id,
    project_id,
    executor,
    variant,
    agent_session_id: null,
    created_at: now,
    updated_at: now,
  };
}

/** The first prompt of a task: its title, a blank line, its description. */
const taskText = ({ title, description }: { title: string; description: string | null }): string =>
  description ? `${title}\n\n${description}` : title;
