import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import {
  databaseConnections,
  liveTurns,
  queueDepth,
  queueOldest,
  runners,
  waitingTurns,
} from '../platform/telemetry/metrics.js';
import { RunnersRepository } from '../cluster/runners.repository.js';
import { WaitingTurns } from '../cluster/waiting-turns.js';
import { MetricsPage } from '../platform/telemetry/metrics-page.js';

/** Cached, because every process reports the same figures. */
const KEEP_MS = 10_000;

interface TurnCount {
  state: 'queued' | 'running';
  executor: string;
  turns: number;
  oldest_secs: number;
}

/** Turns and processes of the whole cluster, for the metrics of this process. */
@Injectable()
export class LiveTurns implements OnModuleInit {
  private lookedAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly page: MetricsPage,
    private readonly runnerRows: RunnersRepository,
    private readonly waiting: WaitingTurns,
  ) {}

  onModuleInit(): void {
    this.page.beforeEach(() => this.look());
  }

  private async look(): Promise<void> {
    for (const [state, count] of Object.entries(this.database.connections)) databaseConnections.set({ state }, count);
    if (performance.now() - this.lookedAt < KEEP_MS) return;
    liveTurns.reset();
    queueDepth.remove(); // 0 would say that nothing waits
    queueOldest.remove();
    const counts = await this.database.query<TurnCount>(COUNT);
    for (const { state, executor, turns } of counts) liveTurns.set({ state, executor }, turns);
    const queued = counts.filter(({ state }) => state === 'queued');
    queueDepth.set(queued.reduce((sum, { turns }) => sum + turns, 0));
    queueOldest.set(Math.max(0, ...queued.map(({ oldest_secs }) => oldest_secs)));
    await this.countRunners();
    await this.countWaiting();
    this.lookedAt = performance.now();
  }

  private async countRunners(): Promise<void> {
    runners.reset();
    for (const { role, state } of await this.runnerRows.list()) if (state !== 'left') runners.inc({ role, state });
  }

  private async countWaiting(): Promise<void> {
    waitingTurns.reset();
    for (const { waiting, ...labels } of await this.waiting.count()) waitingTurns.set({ ...labels }, waiting);
  }
}

const COUNT = `
  SELECT e.status AS state, s.executor, count(*)::int AS turns,
    extract(epoch FROM now() - min(e.created_at))::float8 AS oldest_secs
  FROM executions e
  JOIN sessions s ON s.id = e.session_id
  WHERE e.status IN ('queued', 'running') AND e.run_reason <> 'devserver'
  GROUP BY e.status, s.executor`;
