import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CellConnection } from './cell-connection.js';
import type { Launched, Launcher, ProcessSpec } from './process-types.js';
import type { Spawned, SpawnRequest, Starter } from './spawner.js';

/** A container that ended is back within a while, and one that starts with this one may be slower. */
const PATIENCE_MS = 10_000;
/** For git, which is often waited for. */
const SHORT_PATIENCE_MS = 2_000;
/** Longer than what ran in a container outlives its launcher: until then a run could answer in its place. */
const RETRY_MS = 1_000;

/** Starts programs in the container beside this one, by the launcher there (`taskyard cell`). */
export class CellClient implements Launcher, Starter {
  private connection: CellConnection | null = null;
  private opening: Promise<void> | null = null;
  private heldUntil: () => number | null = () => null;
  private notBefore = -Infinity;
  /** Why nothing could be started when that was tried last; null where it could. */
  problem: string | null = null;
  private isDistrusted = false;

  /** @param path of its socket */
  constructor(private readonly path: string) {}

  /** @param until until when processes may live should this server freeze, by `performance.now()`; null for ever */
  holdBy(until: () => number | null): void {
    this.heldUntil = until;
  }

  /** @throws Error that says why nothing can be started there */
  async ready(patienceMs = PATIENCE_MS): Promise<void> {
    if (this.connection !== null) return;
    this.opening ??= this.open(patienceMs).finally(() => (this.opening = null));
    try {
      await this.opening;
    } catch (error) {
      this.problem = (error as Error).message;
      throw error;
    }
  }

  launch(spec: ProcessSpec): Launched {
    if (this.connection === null) {
      const spawn_error = `${spec.program} could not be started: nobody listens at ${this.path}`;
      return { child: null, exited: Promise.resolve({ exit_code: null, signal: null, spawn_error }) };
    }
    const { program, args, cwd, env, marker, stdin } = spec;
    const started = this.connection.start({ program, args, cwd, env, marker }, [stdin === 'pipe', true, true]);
    return { child: started.asChild(), exited: started.exited };
  }

  async start({ program, args, env, streams }: SpawnRequest): Promise<Spawned> {
    await this.ready(SHORT_PATIENCE_MS);
    const begun = this.connection!.start({ program, args, cwd: '/', env, marker: randomUUID() }, streams);
    void begun.exited.then(() => begun.killSurvivors());
    const { pid, streams: met } = await begun.started;
    const exited = begun.exited.then(({ exit_code }) => exit_code);
    return { pid, streams: met, exited, signal: (name) => begun.signal(name) };
  }

  /** Tries again for a while, because the container may be about to start. */
  private async open(patienceMs: number): Promise<void> {
    const giveUpAt = performance.now() + patienceMs;
    await pause(Math.max(0, this.notBefore - performance.now()));
    for (;;) {
      if (this.isDistrusted) throw new Error(this.problem!);
      try {
        const heldUntil = () => this.heldUntil();
        this.connection = await CellConnection.open(this.path, { heldUntil, onEnd: (stands) => this.lost(stands) });
        this.problem = null;
        return;
      } catch (error) {
        if (performance.now() + RETRY_MS > giveUpAt) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  /** One that only stands still may be made to by a run, which could then come in its place. */
  private lost(stands: boolean): void {
    this.connection = null;
    this.notBefore = performance.now() + RETRY_MS;
    this.isDistrusted = stands;
    this.problem = stands
      ? `the launcher at ${this.path} stood still: restart its container and this server`
      : `the launcher at ${this.path} has ended`;
  }
}
