import { Injectable } from '@nestjs/common';
import type { AttemptState } from '../attempts/attempt.dto.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { ActiveRuns } from './active-runs.js';
import { EndRunService } from './end-run.service.js';
import { RunAudit } from './run-audit.js';
import type { StopAttemptInput, StopAttemptOutput } from './stop-attempt.dto.js';

/** A stop answers by then, whether or not the run has ended. */
const ANSWER_WITHIN_MS = 15_000;

/** Ends the live run of an attempt, dev servers aside. Repeatable; `force` may follow a gentle stop. */
@Injectable()
export class StopAttemptService {
  constructor(
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly attempts: AttemptsRepository,
    private readonly sessions: SessionsRepository,
    private readonly executions: ExecutionsRepository,
    private readonly events: AttemptEvents,
    private readonly ends: EndRunService,
    private readonly activeRuns: ActiveRuns,
    private readonly runAudit: RunAudit,
  ) {}

  /** @throws AppError attempt_not_found */
  async stop({ attempt_id, force = false }: StopAttemptInput, principal: Principal): Promise<StopAttemptOutput> {
    const live = await this.request(attempt_id, force, principal);
    if (live) this.activeRuns.stop(live.id, force);
    const state = live
      ? await this.waitForEnd(attempt_id, live.id, principal)
      : (await this.attempts.getStatus(principal, attempt_id)).state;
    return {
      attempt_id,
      force,
      stopped: live !== null && state !== 'running',
      is_stopping: live !== null && state === 'running',
      state,
      execution_process_id: live?.id ?? null,
    };
  }

  /** Writes the wish down; a run that no runner has taken yet ends right here. */
  private request(attempt_id: string, force: boolean, principal: Principal): Promise<Execution | null> {
    return this.database.transaction(async (tx) => {
      const attempt = await this.attempts.lock(principal, attempt_id);
      await this.dropMessages(attempt_id);
      const live = await this.executions.findLive(attempt_id);
      if (live === null) return null;
      await this.executions.requestStop(live.id, force);
      if (live.stop_requested_at === null || (force && !live.stop_forced)) await this.tell(tx, live, force, principal);
      if (live.status === 'queued') await this.ends.endUnstarted(tx, attempt, live);
      return live;
    });
  }

  /** A wish that was there already is no new fact. */
  private async tell(tx: Transaction, live: Execution, force: boolean, principal: Principal): Promise<void> {
    await this.events.stopRequested(live, force);
    await this.runAudit.stopRequested(tx, live, force, principal);
  }

  private async dropMessages(attempt_id: string): Promise<void> {
    while (await this.sessions.takeQueued(attempt_id))
      await this.events.messageDropped(attempt_id, 'the attempt was stopped');
  }

  private async waitForEnd(attempt_id: string, execution_id: string, principal: Principal): Promise<AttemptState> {
    const ended = await this.hub.waitFor(attempt_id, ANSWER_WITHIN_MS, async () => {
      const row = await this.attempts.getStatus(principal, attempt_id);
      return row.state === 'running' && row.latest_execution_process_id === execution_id ? null : row.state;
    });
    return ended ?? 'running';
  }
}
