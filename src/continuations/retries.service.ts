import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ExecutorChoice } from '../turns/executor-choice.js';
import type { EndedTurn } from '../turns/turn-followers.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import type { Continuation } from './continuation.entity.js';
import { FRESH_AFTER_IDLE } from './continuation-firing.js';
import { ContinuationsRepository } from './continuations.repository.js';
import { ContinuationsService, type PlannedMessage } from './continuations.service.js';
import { mostRetries, type RetryCause, retryCause, retryCauses, retryDelay } from './retry-policy.js';

/** Sends the last message of a turn again whose failure passes by itself, or in which the agent did nothing though it
 *  was asked to go on. */
@Injectable()
export class RetriesService {
  constructor(
    @Inject(ENVIRONMENT) private readonly settings: Pick<Environment, 'RETRY_DELAY_SECS'>,
    private readonly projectRows: ProjectsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly executors: ExecutorChoice,
    private readonly rows: ContinuationsRepository,
    private readonly continuations: ContinuationsService,
  ) {}

  /** After the end of a turn that nothing follows. */
  async after(tx: Transaction, turn: EndedTurn): Promise<void> {
    const { attempt, end, ending } = turn;
    const cause = retryCause(ending, end.cause);
    if (cause !== null) return this.retry(tx, turn, cause);
    const sent = await this.rows.findSent(attempt.id, turn.execution.job_id);
    if (sent !== null && (await this.didNothing(turn))) return this.resume(tx, turn, sent);
    if (ending === 'completed') await this.rows.setPast(tx, attempt.id, retryCauses);
  }

  private async retry(tx: Transaction, turn: EndedTurn, cause: RetryCause): Promise<void> {
    const { attempt, execution, end } = turn;
    const { retries } = await this.projectRows.get(localOwner, attempt.project_id);
    if (!retries[cause]) return;
    const done = await this.rows.countRounds(attempt.id, cause);
    const resets_at = end.cause?.resets_at ?? null;
    const about = { resets_at, first_secs: this.settings.RETRY_DELAY_SECS, now: Date.now() };
    const planned: PlannedMessage = {
      ...messageOf(turn),
      cause,
      cause_key: `${cause} ${execution.id}`,
      round: done + 1,
      delay_secs: retryDelay(cause, done + 1, about),
    };
    if (done < mostRetries[cause]) await this.continuations.plan(tx, planned);
    else await this.continuations.exhaust(tx, planned, `${done} retries did not help: ${end.failure_summary ?? cause}`);
  }

  /** Once in the same conversation, then in a new one. */
  private async resume(tx: Transaction, turn: EndedTurn, sent: Continuation): Promise<void> {
    const idle = sent.idle + 1;
    const planned: PlannedMessage = {
      ...messageOf(turn),
      cause: sent.cause,
      cause_key: `idle ${turn.execution.id}`,
      round: sent.round,
      idle,
      delay_secs: this.settings.RETRY_DELAY_SECS,
    };
    if (idle <= FRESH_AFTER_IDLE) await this.continuations.plan(tx, planned);
    else await this.continuations.exhaust(tx, planned, 'the agent did nothing, not even in a new conversation');
  }

  /** An agent that was not asked in vain says something. A script does its work without a word. */
  private async didNothing({ attempt, execution, end, ending }: EndedTurn): Promise<boolean> {
    const mayBe = ending === 'completed' || (ending === 'failed' && end.cause?.class === 'unknown');
    if (!mayBe || (await this.executionRows.hasAnswered(attempt.id, execution.job_id))) return false;
    return this.executors.takesWords(await this.sessionRows.getExecutor(execution.session_id));
  }
}

const messageOf = ({ attempt, execution }: EndedTurn) => {
  const { session_id, prompt, is_task_text, variant, timeout_secs } = execution;
  return { attempt, session_id, message: { prompt, is_task_text, variant, timeout_secs } };
};
