import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';

/** A run as the guard knows it. Group and start are null until it is spawned: its marker is enough to find it. */
export interface GuardedRun {
  marker: string;
  pgid: number | null;
  /** Clock ticks since boot, so that a reused number is not taken for the group. */
  started_at: number | null;
}

const program = fileURLToPath(new URL('./process-guard-program.mjs', import.meta.url));
/** Minimum time between two starts of the guard program. */
const restartMs = 1_000;
/** Between looks for a renewed lease: what the program knows is never older. */
const lookEveryMs = 100;

/** Keeps one small program on a pipe that knows the live runs, and until when they may live. The pipe closes with this
 *  server, `kill -9` included; the program then kills what is left of the runs, and does so too where this server is
 *  frozen beyond its lease. It rests on /proc, so there is none on other systems than Linux. */
export class ProcessGuard {
  private readonly logger = new Logger(ProcessGuard.name);
  private readonly live = new Map<string, GuardedRun>();
  private child: ChildProcess | null = null;
  private startedAtMs = -restartMs;
  private isClosed = false;
  /** Until when runs may live, as the program knows it. */
  private toldUntil: number | null = null;
  /** When it was last told of a new lease after the one before had run out. */
  private overAt = -Infinity;

  /** @param heldUntil until when runs may live unless more is said, by `performance.now()`; null for ever */
  constructor(private readonly heldUntil: () => number | null) {}

  /** Whether the program was to end what ran at any time since then, by `performance.now()`. What it killed may be gone
   *  only after the lease was renewed: with a small share of a busy CPU a process dies slowly. */
  wasOver(since: number): boolean {
    return this.isOver || this.overAt > since;
  }

  private get isOver(): boolean {
    return this.toldUntil !== null && performance.now() > this.toldUntil;
  }

  /** Called before the spawn, so that no moment is unguarded, and again when group and start are known. */
  watch(run: GuardedRun): void {
    this.live.set(run.marker, run);
    if (this.child === null) return this.start();
    this.tellHeldUntil(); // it may be a new lease, and the program still be ending what ran under the one before
    this.tell({ watch: run });
  }

  forget(marker: string): void {
    this.live.delete(marker);
    this.tell({ forget: marker });
  }

  /** Ends the program, which first kills runs that were not forgotten. */
  async close(): Promise<void> {
    this.isClosed = true;
    const child = this.child;
    if (!child) return;
    child.ref();
    const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    child.stdin?.end();
    await exited;
  }

  private start(): void {
    if (process.platform !== 'linux' || this.isClosed) return;
    this.startedAtMs = performance.now();
    try {
      this.child = this.spawnProgram();
    } catch (error) {
      this.startAgain((error as Error).message);
    }
    this.tellHeldUntil();
    for (const run of this.live.values()) this.tell({ watch: run });
  }

  /** In a session of its own: a Ctrl-C in the terminal of the server does not reach it. */
  private spawnProgram(): ChildProcess {
    const child = spawn(process.execPath, [program], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const gone = (reason: string) => {
      if (this.child === child) this.startAgain(reason);
    };
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => gone(`it ended with ${signal ?? code}`));
    child.stdin?.on('error', () => undefined);
    const looking = setInterval(() => {
      if (this.heldUntil() !== this.toldUntil) this.tellHeldUntil();
    }, lookEveryMs).unref();
    child.once('exit', () => clearInterval(looking));
    child.unref();
    return child;
  }

  private startAgain(reason: string): void {
    this.child = null;
    if (this.isClosed) return;
    this.logger.warn(`process guard lost (${reason}); restarting it while processes are running`);
    const pauseMs = Math.max(0, this.startedAtMs + restartMs - performance.now());
    setTimeout(() => {
      if (this.child === null && this.live.size > 0) this.start();
    }, pauseMs).unref();
  }

  /** By the clock of the machine, which both processes see. */
  private tellHeldUntil(): void {
    if (this.isOver) this.overAt = performance.now();
    const until = this.heldUntil();
    this.toldUntil = until;
    const machineMs = Number(process.hrtime.bigint() / 1_000_000n);
    this.tell({ held_until: until === null ? null : machineMs + Math.round(until - performance.now()) });
  }

  private tell(message: { watch: GuardedRun } | { forget: string } | { held_until: number | null }): void {
    this.child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
