import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { ProcessGuard } from './process-guard.js';
import { startedAt, sweep } from './process-table.mjs';
import type { ProcessSpec } from './process-types.js';
import { settledWithin } from './settled-within.js';
import { SupervisedProcess } from './supervised-process.js';

const shutdownGraceMs = 5_000;
/** Time for a killed process until its last output is read. */
const killMs = 5_000;

/** All live processes of this server. None outlives it: a guard kills them when the server is killed itself. */
@Injectable()
export class ProcessPool implements BeforeApplicationShutdown {
  private readonly live = new Map<string, SupervisedProcess>();
  private readonly guard: ProcessGuard;
  private isClosed = false;

  /** @param heldUntil until when processes may live should this server freeze, by `performance.now()`; null for ever */
  constructor(heldUntil: () => number | null) {
    this.guard = new ProcessGuard(heldUntil);
  }

  /** Processes that have not ended, with their output and survivors. */
  get size(): number {
    return this.live.size;
  }

  /** Of every live process; processes it started descend from it. */
  get pids(): number[] {
    return [...this.live.values()].flatMap(({ pid }) => pid ?? []);
  }

  /** Whether the guard has ended them since then, by `performance.now()`: the lease was not renewed in time. */
  wasOver(since: number): boolean {
    return this.guard.wasOver(since);
  }

  /** A program that cannot be started ends with a `spawn_error`. @throws AppError shutting_down */
  start(spec: ProcessSpec): SupervisedProcess {
    if (this.isClosed) throw new AppError('shutting_down');
    this.guard.watch({ marker: spec.marker, pgid: null, started_at: null });
    const started = SupervisedProcess.start(spec);
    if (started.pid !== null)
      this.guard.watch({ marker: spec.marker, pgid: started.pid, started_at: startedAt(started.pid) });
    this.live.set(spec.marker, started);
    const forget = () => this.forget(spec.marker);
    started.ended.then(forget, forget);
    return started;
  }

  /** Stops every process, after the grace by force. */
  async stopAll(graceMs: number): Promise<void> {
    await settledWithin(this.stopEach(false), graceMs);
    await settledWithin(this.stopEach(true), killMs);
  }

  /** Kills what processes of earlier servers left behind. */
  sweep(markers: readonly string[]): Promise<void> {
    return sweep(markers);
  }

  /** Before the connections close, so that the ends can still be written down. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.stopAll(shutdownGraceMs);
    await this.guard.close();
  }

  private stopEach(force: boolean): Promise<unknown> {
    return Promise.allSettled([...this.live.values()].map((live) => live.stop({ force })));
  }

  private forget(marker: string): void {
    this.live.delete(marker);
    this.guard.forget(marker);
  }
}
