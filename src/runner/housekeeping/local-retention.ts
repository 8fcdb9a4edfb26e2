import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { pruneDemoSessions } from '../../executors/demo/demo-profile.js';
import { AbandonedClones } from './abandoned-clones.js';

/** Removes old data below DATA_DIR; every runner does this for itself. */
@Injectable()
export class LocalRetention {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly clones: AbandonedClones,
  ) {}

  /** Tries both. @throws the first failure */
  async apply(): Promise<void> {
    const { LOG_TTL_DAYS, DATA_DIR } = this.environment;
    const sessions = LOG_TTL_DAYS > 0 ? pruneDemoSessions(DATA_DIR, LOG_TTL_DAYS) : undefined;
    const results = await Promise.allSettled([sessions, this.clones.discard()]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}
