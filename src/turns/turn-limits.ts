import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import { AppError } from '../platform/errors/app-error.js';

type Limits = Pick<Environment, 'MAX_LIVE_RUNS_PER_PRINCIPAL' | 'MAX_LIVE_RUNS_PER_PROJECT'>;

/** Limits the live turns of a caller and of a project, and checks that there is room for their data. */
@Injectable()
export class TurnLimits {
  constructor(
    @Inject(ENVIRONMENT) private readonly limits: Limits,
    private readonly executionRows: ExecutionsRepository,
    private readonly storage: StorageLimits,
  ) {}

  /** Checked before a turn, or a message that will become one, is written. @throws AppError too_much_stored */
  requireRoom(project_id: string, principal: Principal, prompt: string | null): Promise<void> {
    return this.storage.require(project_id, principal, textBytes(prompt));
  }

  /** Checked after the turn was inserted, which the transaction rolls back if it is one too many. The project's row is
   *  locked by then. @param more turns that are still to come. @throws AppError too_many_runs */
  async require(tx: Transaction, project_id: string, principal: Principal, more = 0): Promise<void> {
    const { MAX_LIVE_RUNS_PER_PRINCIPAL, MAX_LIVE_RUNS_PER_PROJECT } = this.limits;
    if (MAX_LIVE_RUNS_PER_PRINCIPAL === 0 && MAX_LIVE_RUNS_PER_PROJECT === 0) return;
    const { of_principal, of_project } = await this.executionRows.countLive(tx, chargedAs(principal), project_id);
    requireRoom('MAX_LIVE_RUNS_PER_PRINCIPAL', MAX_LIVE_RUNS_PER_PRINCIPAL, of_principal + more);
    requireRoom('MAX_LIVE_RUNS_PER_PROJECT', MAX_LIVE_RUNS_PER_PROJECT, of_project + more);
  }
}

function requireRoom(limit: keyof Limits, most: number, live: number): void {
  if (most > 0 && live > most) throw new AppError('too_many_runs', { limit, live: most });
}
