import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database } from '../database/database.js';
import type { Limits } from '../sandbox/sandbox.js';
import * as sql from './runners.sql.js';

export type RunnerState = 'ready' | 'draining' | 'lost';

export interface FoundExecutor {
  executor: string;
  is_available: boolean;
  reason: string | null;
}

/** @param is_available on a runner that lives @param is_known on one that lives or is away */
export interface ExecutorElsewhere {
  executor: string;
  is_available: boolean;
  is_known: boolean;
  reason: string | null;
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
  /** Turns it has taken. */
  busy: number;
  executors: FoundExecutor[];
  isolation: string;
  limits: Limits | null;
  state: RunnerState;
  /** It left, or has been silent for RUNNER_LOST_SECS: what it is the home of may go on elsewhere. */
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

  /** Nobody's home, they would only lengthen the list. */
  async forgetReplicas(): Promise<void> {
    await this.database.query(sql.FORGET_REPLICAS);
  }

  /** What other runners than that one have. */
  listExecutors(except: string): Promise<ExecutorElsewhere[]> {
    return this.database.query<ExecutorElsewhere>(sql.LIST_EXECUTORS, [except]);
  }
}
