import { Inject, Injectable } from '@nestjs/common';
import type { NewAttempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { PREPARE_WORKSPACE } from '../turns/housekeeping-kinds.js';
import { AttemptPlan } from './attempt-plan.js';
import type { CreateAttemptInput, StartedAttemptOutput } from './attempt-start.dto.js';
import { ExecutorChoice } from './executor-choice.js';
import { newAttempt } from './new-attempt.js';
import { StartSessionService } from './start-session.service.js';

/** Starts work: attempt, session, turn, job and idempotency record in one transaction. The runner makes the
 *  worktrees. */
@Injectable()
export class StartAttemptService {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly idempotency: IdempotencyService,
    private readonly plan: AttemptPlan,
    private readonly executors: ExecutorChoice,
    private readonly taskRows: TasksRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessions: StartSessionService,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError task_not_found, executor_unknown, variant_unknown, executor_unavailable, forbidden,
   *  repo_not_in_project, branch_unknown, idempotency_conflict */
  async start({ request_id, ...input }: CreateAttemptInput, principal: Principal): Promise<StartedAttemptOutput> {
    const request = { operation: 'start_task_attempt', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<StartedAttemptOutput>(request);
    if (earlier) return earlier;
    const { executor, variant } = input;
    const chosen = executor === undefined ? null : await this.executors.choose({ executor, variant }, principal);
    const { project_id, place, repos } = await this.plan.make(input.task_id, input.repos, principal);
    return this.idempotency.once({ ...request, project_id }, async (tx) => {
      const task = await this.taskRows.lock(tx, principal, input.task_id);
      const attempt = newAttempt(task.id, project_id, task.title, place);
      const attemptRepos = repos.map((repo) => ({ ...repo, attempt_id: attempt.id }));
      await this.attemptRows.insert(tx, attempt, attemptRepos);
      const started = { task_id: task.id, attempt_id: attempt.id, workspace_branch: attempt.branch };
      if (chosen !== null)
        return { ...started, ...(await this.sessions.begin(tx, attempt, task, { ...input, ...chosen }, principal)) };
      await this.prepareOnly(tx, attempt, principal);
      return { ...started, session_id: null, execution_process_id: null };
    });
  }

  /** Without executor nothing runs; the worktrees are housekeeping's to make. */
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
    await this.queue.addHousekeeping(tx, { kind: PREPARE_WORKSPACE, data: { attempt_id } });
  }
}
