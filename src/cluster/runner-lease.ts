import { Logger } from '@nestjs/common';
import { Clock } from '../platform/context/clock.js';
import { newId } from '../platform/database/uuid.js';
import type { Limits } from '../platform/sandbox/sandbox.js';
import { LeaseWatch } from './lease-watch.js';
import { RunnerEntry, type RunnerSettings, type Session } from './runner-entry.js';
import type { FoundExecutor } from './runners.repository.js';

/** Another live process holds this DATA_DIR's runner id. */
export class RunnerTakenError extends Error {}
/** Processes of one database must share a secret. */
export class ClusterSecretError extends Error {}

/** Longer than a lease: by then its holder has renewed it or lost it. */
const ENTER_WITHIN_MS = 11_000;
const RETRY_MS = 150;
const REENTER_MS = 500;

const NONE = AbortSignal.abort(new Error('this server has no lease'));

/** This process among those of its database: one row, renewed every 2 s by the database's clock. Whoever could not
 *  renew it in time kills what it runs, and comes back as a new incarnation. Without CLUSTER_SECRET nobody else may
 *  exist, so that only a process in its place ends its lease. */
export class RunnerLease {
  private readonly logger = new Logger(RunnerLease.name);
  private readonly entry: RunnerEntry;
  private readonly replacedBy = new AbortController();
  private current = newId();
  private watch: LeaseWatch | null = null;
  private isLeaving = false;
  private draining = false;
  private servingProcesses = 1;

  constructor(
    private readonly settings: RunnerSettings,
    session: Session,
    card: { version: string; isolation: string; limits: Limits },
    private readonly clock = new Clock(),
  ) {
    this.entry = new RunnerEntry(settings, session, card);
  }

  get id(): string {
    return this.entry.id;
  }

  get incarnation(): string {
    return this.current;
  }

  /** Aborts when another process took over this one's name: nothing may run here any more. */
  get replaced(): AbortSignal {
    return this.replacedBy.signal;
  }

  /** Of this life: aborts once its lease is gone or could not be renewed in time. What runs under it must die. */
  get lost(): AbortSignal {
    return this.watch?.lost ?? NONE;
  }

  /** Until when what runs here may run unless the lease is renewed, by the clock; null for ever. */
  get heldUntil(): number | null {
    return this.watch?.heldUntil ?? null;
  }

  /** Executors that can start here. */
  get available(): string[] {
    return this.entry.executors.filter(({ is_available }) => is_available).map(({ executor }) => executor);
  }

  /** Of this runner. */
  get labels(): string[] {
    return this.settings.RUNNER_LABELS;
  }

  /** Whether it takes turns of one attempt alone. */
  get isOfOneAttempt(): boolean {
    return this.settings.RUNNER_LIFE === 'attempt';
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Number of processes that serve requests, among which limits per process are divided. */
  get serving(): number {
    return this.servingProcesses;
  }

  /** Announces what this process offers from now on. */
  async offer(executors: readonly FoundExecutor[]): Promise<void> {
    const isNew = JSON.stringify(executors) !== JSON.stringify(this.entry.executors);
    this.entry.executors = executors;
    if (isNew && !this.lost.aborted) await this.renew().catch(() => undefined); // else at the next renewal
  }

  /** Announces the address of this process, once its port is known. */
  async moveTo(address: string): Promise<void> {
    this.entry.address = address;
    await this.renew().catch(() => undefined); // then they see it at the next renewal
  }

  /** @throws RunnerTakenError, ClusterSecretError */
  async enter(): Promise<void> {
    await this.takeName();
    this.keep(); // what follows may take as long as a lease
    await this.requireSharedSecret();
  }

  /** Takes no new work; the lease is renewed until the end. */
  async drain(): Promise<void> {
    this.draining = true;
    await this.entry.drain(this.current);
  }

  /** Gives up the lease, so that nobody has to wait until it expires. */
  async leave(): Promise<void> {
    if (this.isLeaving) return;
    this.endKeeping();
    await this.entry.leave(this.current);
  }

  /** Counts the serving processes now instead of at the next renewal. */
  async recount(): Promise<void> {
    this.servingProcesses = Math.max(1, await this.entry.countServing().catch(() => this.servingProcesses));
  }

  /** A predecessor that was killed may hold the name for a moment, one whose machine died for as long as its lease.
   *  @throws RunnerTakenError */
  private async takeName(): Promise<void> {
    const giveUpAt = this.clock.now() + ENTER_WITHIN_MS;
    const first = await this.entry.holder();
    while (!(await this.entry.enter(this.current, this.current, await this.entry.holdName()))) {
      const now = await this.entry.holder();
      const isAlive = first !== null && now !== null && now.seen_at !== first.seen_at;
      if (isAlive || this.clock.now() > giveUpAt) throw new RunnerTakenError(takenBy(this.settings.DATA_DIR));
      await this.pause(RETRY_MS);
    }
  }

  /** One that was killed is there until its lease runs out. @throws ClusterSecretError */
  private async requireSharedSecret(): Promise<void> {
    const first = await this.entry.stranger();
    for (let now = first; now !== null; now = await this.entry.stranger()) {
      if (now.runner_id !== first!.runner_id || now.seen_at !== first!.seen_at) {
        this.endKeeping();
        await this.entry.withdraw(this.current);
        throw new ClusterSecretError(this.entry.refusalOf(now));
      }
      await this.pause(RETRY_MS);
    }
  }

  private keep(): void {
    const watch = new LeaseWatch(() => this.renew(), this.clock, this.settings.CLUSTER_SECRET !== '');
    this.watch = watch;
    watch.lost.addEventListener('abort', () => void this.comeBack());
  }

  private endKeeping(): void {
    this.isLeaving = true;
    this.watch?.close();
  }

  private async renew(): Promise<boolean> {
    const serving = await this.entry.renew(this.current);
    if (serving !== null) this.servingProcesses = Math.max(1, serving);
    return serving !== null;
  }

  /** As a new incarnation, unless another process has its place by now. */
  private async comeBack(): Promise<void> {
    const before = this.current;
    this.current = newId();
    while (!this.isLeaving) {
      const isBack = await this.reenter(before).catch(() => null); // the database is away: another try
      if (isBack === false) return this.endAs('another server runs in the place of this one');
      if (isBack && !this.isLeaving) return this.goOn();
      await this.pause(REENTER_MS);
    }
  }

  private async reenter(before: string): Promise<boolean> {
    return (await this.entry.enter(this.current, before, false)) && (await this.entry.stranger()) === null;
  }

  private goOn(): void {
    this.logger.warn('the lease of this server ran out and was taken anew: what it ran was ended');
    this.keep();
  }

  private endAs(reason: string): void {
    this.logger.error(`this server runs no agents any more, restart it: ${reason}`);
    this.replacedBy.abort(new RunnerTakenError(reason));
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(ms, resolve));
  }
}

const takenBy = (dataDir: string): string =>
  `another server already uses DATA_DIR ${dataDir}: stop it, or give this one a DATA_DIR of its own`;
