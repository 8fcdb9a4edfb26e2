import { Injectable } from '@nestjs/common';
import type { NewAttempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { Jobs } from '../cluster/jobs.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import type { Task } from '../tasks/task.entity.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { AttemptOfTurn } from '../turns/turn-executions.js';
import { TurnsService } from '../turns/turns.service.js';
import { AttemptPlan, newAttempt, type Plan } from './attempt-plan.js';
import { type ChosenExecutor, ExecutorChoice } from '../turns/executor-choice.js';
import type { CreateAttemptInput, CreatedSessionOutput, CreateSessionInput, StartedAttemptOutput } from './work.dto.js';

type FirstTurn = ChosenExecutor & Pick<CreateSessionInput, 'prompt' | 'timeout_secs'>;

/** Starts work: attempt, session, turn, job and idempotency record in one transaction. The runner makes the
 *  worktrees. */
@Injectable()
export class StartService {
  constructor(
    private readonly jobs: Jobs,
    private readonly idempotency: IdempotencyService,
    private readonly plan: AttemptPlan,
    private readonly executors: ExecutorChoice,
    private readonly taskRows: TasksRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly turns: TurnsService,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError task_not_found, executor_unknown, variant_unknown, executor_unavailable, forbidden,
   *  repo_not_in_project, branch_unknown, idempotency_conflict */
  async startAttempt(
    { request_id, ...input }: CreateAttemptInput,
    principal: Principal,
  ): Promise<StartedAttemptOutput> {
    const request = { operation: 'start_task_attempt', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<StartedAttemptOutput>(request);
    if (earlier) return earlier;
    const { executor, variant } = input;
    const chosen = executor === undefined ? null : await this.executors.choose({ executor, variant }, principal);
    const plan = await this.plan.make(input.task_id, input.repos, principal);
    return this.idempotency.once({ ...request, project_id: plan.project_id }, async (tx) => {
      const task = await this.taskRows.lock(tx, principal, input.task_id);
      return this.open(tx, task, plan, chosen && { ...input, ...chosen }, principal);
    });
  }

  /** A new attempt at a task. @param first its first turn; null only makes the worktrees */
  async open(
    tx: Transaction,
    task: Task,
    { project_id, place, repos }: Plan,
    first: FirstTurn | null,
    principal: Principal,
  ): Promise<StartedAttemptOutput> {
    const attempt = newAttempt(task.id, project_id, task.title, place);
    const attemptRepos = repos.map((repo) => ({ ...repo, attempt_id: attempt.id }));
    await this.attemptRows.insert(tx, attempt, attemptRepos);
    const started = { task_id: task.id, attempt_id: attempt.id, workspace_branch: attempt.branch };
    if (first !== null) return { ...started, ...(await this.begin(tx, attempt, task, first, principal)) };
    await this.prepareOnly(tx, attempt, principal);
    return { ...started, session_id: null, execution_process_id: null };
  }

  /** A further session in an attempt that is idle.
   *  @throws AppError attempt_not_found, session_busy, delivery_in_progress, executor_unknown, variant_unknown,
   *  executor_unavailable */
  async startSession(
    { request_id, ...input }: CreateSessionInput,
    principal: Principal,
  ): Promise<CreatedSessionOutput> {
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

  /** A session and its first turn, which without a prompt works on the current text of the task. */
  private async begin(
    tx: Transaction,
    attempt: AttemptOfTurn,
    task: Task,
    { executor, variant, prompt, timeout_secs }: FirstTurn,
    principal: Principal,
  ): Promise<{ session_id: string; execution_process_id: string }> {
    const { id: attempt_id, project_id } = attempt;
    const session = {
      id: newId(),
      attempt_id,
      project_id,
      role: 'author',
      executor,
      variant,
      agent_session_id: null,
    } as const;
    await this.sessionRows.insert(tx, session);
    const is_task_text = prompt === undefined;
    const message = { prompt: prompt ?? taskText(task), is_task_text, variant, timeout_secs: timeout_secs ?? null };
    const execution = await this.turns.start(tx, attempt, session, message, principal);
    return { session_id: session.id, execution_process_id: execution.id };
  }

  /** Without an executor nothing runs; a housekeeping job makes the worktrees. */
  private async prepareOnly(tx: Transaction, attempt: NewAttempt, principal: Principal): Promise<void> {
    const { id: attempt_id, task_id, project_id } = attempt;
    await this.audit.record(tx, principal, {
      entity_type: 'task',
      entity_id: task_id,
      task_id,
      project_id,
      action: 'attempt_opened',
      details: { attempt_id },
    });
    await this.jobs.send(tx, { kind: 'prepare_workspace', data: { attempt_id } });
  }
}

/** The first prompt of a task: its title, a blank line, its description. */
const taskText = ({ title, description }: { title: string; description: string | null }): string =>
  description ? `${title}\n\n${description}` : title;
