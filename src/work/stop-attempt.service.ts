import { Injectable } from '@nestjs/common';
import type { AttemptState } from '../attempts/attempt.dto.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { ActiveTurns } from '../turns/active-turns.js';
import { TurnsService } from '../turns/turns.service.js';
import type { StopAttemptInput, StopAttemptOutput } from './work.dto.js';

/** A stop answers within this time, whether or not the turn has ended. */
const ANSWER_WITHIN_MS = 15_000;

/** Ends the live turn of an attempt, dev servers aside. Repeatable; `force` may follow a gentle stop. */
@Injectable()
export class StopAttemptService {
  constructor(
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly attemptRows: AttemptsRepository,
    private readonly turns: TurnsService,
    private readonly activeTurns: ActiveTurns,
  ) {}

  /** @throws AppError attempt_not_found */
  async stop({ attempt_id, force = false }: StopAttemptInput, principal: Principal): Promise<StopAttemptOutput> {
    const { live, dropped } = await this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, attempt_id);
      requireMade(principal, attempt);
      return this.turns.stop(tx, attempt, force, principal);
    });
    if (live) this.activeTurns.stop(live.id, force);
    const state = live
      ? await this.waitForEnd(attempt_id, live.id, principal)
      : (await this.attemptRows.getStatus(principal, attempt_id)).state;
    return {
      attempt_id,
      force,
      stopped: live !== null && state !== 'running',
      is_stopping: live !== null && state === 'running',
      state,
      execution_process_id: live?.id ?? null,
      dropped_messages: dropped,
    };
  }

  private async waitForEnd(attempt_id: string, execution_id: string, principal: Principal): Promise<AttemptState> {
    const ended = await this.hub.waitFor(attempt_id, ANSWER_WITHIN_MS, async () => {
      const row = await this.attemptRows.getStatus(principal, attempt_id);
      return row.state === 'running' && row.latest_execution_process_id === execution_id ? null : row.state;
    });
    return ended ?? 'running';
  }
}
