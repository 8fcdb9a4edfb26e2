import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { Database } from '../platform/database/database.js';
import type { Limits } from '../platform/sandbox/sandbox.js';
import * as sql from './runners.sql.js';

export type RunnerState = 'ready' | 'draining' | 'lost' | 'left';

export const isLive = (state: RunnerState): boolean => state === 'ready' || state === 'draining';

/** As a runner declares it. */
export interface FoundExecutor {
  executor: string;
  variants: string[];
  default_variant: string | null;
  supports_mcp: boolean;
  takes: 'prompt' | 'script';
  note: string | null;
  is_available: boolean;
  reason: string | null;
  version: string | null;
}

/** @param is_available on a runner that lives @param is_known on one that lives or is away */
export interface ExecutorElsewhere extends FoundExecutor {
  is_known: boolean;
}

/** One process, as the others see it. */
export interface RunnerRow {
  runner_id: string;
  incarnation: string;
  role: 'all' | 'api' | 'runner';
  /** Host and port that other processes call. */
  address: string;
  version: string;
  slots: number;
  labels: string[];
  life: 'long' | 'attempt' | 'keeper';
  /** Turns it has taken. */
  busy: number;
  executors: FoundExecutor[];
  isolation: string;
  limits: Limits;
  state: RunnerState;
  /** It left, or was silent for RUNNER_LOST_SECS: its attempts may continue elsewhere. */
  is_gone: boolean;
  seen_at: Date;
}

/** The processes of this database. */
@Injectable()
export class RunnersRepository {
  constructor(
    private readonly database: Database,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'RUNNER_LOST_SECS'>,
  ) {}

  /** Oldest first. */
  list(): Promise<RunnerRow[]> {
    return this.database.query<RunnerRow>(sql.LIST, [this.environment.RUNNER_LOST_SECS]);
  }

  async find(runner_id: string): Promise<RunnerRow | null> {
    const [row] = await this.database.query<RunnerRow>(sql.FIND, [this.environment.RUNNER_LOST_SECS, runner_id]);
    return row ?? null;
  }

  /** Runners that left in order. */
  async listLeft(): Promise<string[]> {
    const rows = await this.database.query<{ runner_id: string }>(sql.LIST_LEFT);
    return rows.map(({ runner_id }) => runner_id);
  }

  /** Forgets those of the given ones that have not come back. */
  async forget(runner_ids: string[]): Promise<void> {
    await this.database.query(sql.FORGET, [runner_ids]);
  }

  /** Forgets processes that were killed and whose name never comes back. */
  async forgetFleeting(): Promise<void> {
    await this.database.query(sql.FORGET_FLEETING);
  }

  /** Executors of all other runners. */
  listExecutors(except: string): Promise<ExecutorElsewhere[]> {
    return this.database.query<ExecutorElsewhere>(sql.LIST_EXECUTORS, [except]);
  }
}
