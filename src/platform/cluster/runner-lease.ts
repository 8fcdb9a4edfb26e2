import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Environment } from '../../config/environment.js';
import { CHANGES_CHANNEL } from '../database/change-hub.js';
import { newId } from '../database/uuid.js';
import type { ListenConnection } from '../database/listen-connection.js';
import type { Limits } from '../sandbox/sandbox.js';
import { LeaseWatch } from './lease-watch.js';
import { runnerName } from './runner-name.js';
import type { FoundExecutor } from './runners.repository.js';
import * as sql from './runners.sql.js';

/** Somebody else lives where this process wants to. */
export class RunnerTakenError extends Error {}
/** Processes that live beside each other must share a secret. */
export class ClusterSecretError extends Error {}

/** Longer than a lease: by then its holder has shown that it lives, or it is lost. */
const ENTER_WITHIN_MS = 11_000;
const RETRY_MS = 150;
const REENTER_MS = 500;

/** Announced when a process comes or goes. */
export const PROCESSES = 'processes';

const NONE = AbortSignal.abort(new Error('this server has no lease'));

type Settings = Pick<
  Environment,
  'ROLE' | 'DATA_DIR' | 'INTERNAL_ADDRESS' | 'INTERNAL_PORT' | 'CLUSTER_SECRET' | 'MAX_CONCURRENT_EXECUTIONS'
>;

/** This process among those of its database: one row, renewed every 2 s by the database's clock. Whoever could not
 *  renew it for 8 s kills what it runs, and comes back as a new incarnation. */
export class RunnerLease {
  readonly id: string;
  private readonly logger = new Logger(RunnerLease.name);
  private readonly taken = new AbortController();
  private readonly secretPrint: string;
  private address: string;
  private executors: readonly FoundExecutor[] = [];
  private current = newId();
  private watch: LeaseWatch | null = null;
  private holdsName = false;
  private isLeaving = false;
  private draining = false;
  private servingProcesses = 1;

  constructor(
    private readonly settings: Settings,
    private readonly session: Pick<ListenConnection, 'query'>,
    private readonly card: { version: string; isolation: string; limits: Limits },
  ) {
    this.id = runnerName(settings);
    this.address = settings.INTERNAL_ADDRESS || `${hostname()}:${settings.INTERNAL_PORT}`;
    this.secretPrint = printOf(settings.CLUSTER_SECRET);
  }

  get incarnation(): string {
    return this.current;
  }

  /** Aborts when another process has the name of this one: nothing may run here any more. */
  get lost(): AbortSignal {
    return this.taken.signal;
  }

  /** Of this life: aborts once it could not be renewed in time, or was taken over. What runs under it must die. */
  get lease(): AbortSignal {
    return this.watch?.lost ?? NONE;
  }

  /** Executors that can start here. */
  get available(): string[] {
    return this.executors.filter(({ is_available }) => is_available).map(({ executor }) => executor);
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Processes that serve requests now; what is counted per process is shared among so many. */
  get serving(): number {
    return this.servingProcesses;
  }

  /** What this process offers from now on. */
  async offer(executors: readonly FoundExecutor[]): Promise<void> {
    const isNew = JSON.stringify(executors) !== JSON.stringify(this.executors);
    this.executors = executors;
    if (isNew && !this.lease.aborted) await this.renew().catch(() => undefined); // else at the next renewal
  }

  /** Where the others reach this process, where the port is known only once it listens. */
  async moveTo(address: string): Promise<void> {
    this.address = address;
    await this.renew().catch(() => undefined); // then they see it at the next renewal
  }

  /** @throws RunnerTakenError, ClusterSecretError */
  async enter(): Promise<void> {
    const holder = await this.untilEntered();
    if (holder !== null) throw new RunnerTakenError(holder);
    await this.requireSharedSecret();
    this.keep();
  }

  /** No longer where new work goes; the lease is renewed until the end. */
  async drain(): Promise<void> {
    this.draining = true;
    await this.session.query(sql.DRAIN, [this.id, this.current]);
  }

  /** An orderly end: nobody has to wait until the lease runs out. */
  async leave(): Promise<void> {
    if (this.isLeaving) return;
    this.isLeaving = true;
    this.watch?.close();
    await this.session.query(sql.LEAVE, [this.id, this.current]).catch(() => undefined); // then it runs out
    await this.announce();
  }

  /** Who shares with this process, without waiting for the next renewal. */
  async recount(): Promise<void> {
    const rows = await this.session.query<{ serving: number }>(sql.COUNT_SERVING, []).catch(() => []);
    if (rows[0] !== undefined) this.servingProcesses = Math.max(1, rows[0].serving);
  }

  /** A predecessor that was killed may hold the name for a moment, one whose machine died for as long as its lease.
   *  @returns null once the name is held, else who has it */
  private async untilEntered(): Promise<string | null> {
    const giveUpAt = performance.now() + ENTER_WITHIN_MS;
    const first = await this.holder();
    for (;;) {
      if (await this.tryEnter()) return null;
      const now = await this.holder();
      const isAlive = first !== null && now !== null && now.seen_at !== first.seen_at;
      if (isAlive || performance.now() > giveUpAt) return takenBy(this.settings.DATA_DIR);
      await delay(RETRY_MS);
    }
  }

  private async tryEnter(): Promise<boolean> {
    this.holdsName = await this.holdName();
    // an older server holds its name by the lock alone
    if (!this.holdsName && (await this.holder()) === null) return false;
    return this.write(this.current, this.holdsName);
  }

  /** @param before the incarnation of this process until now @param isVacant nobody else can be alive behind the row */
  private async write(before: string, isVacant: boolean): Promise<boolean> {
    const { ROLE, MAX_CONCURRENT_EXECUTIONS } = this.settings;
    const { version, isolation, limits } = this.card;
    const slots = ROLE === 'api' ? 0 : MAX_CONCURRENT_EXECUTIONS;
    const card = [ROLE, this.address, version, slots, isolation, JSON.stringify(this.executors), this.secretPrint];
    const values = [this.id, this.current, ...card, isVacant, before, JSON.stringify(limits)];
    const isIn = (await this.session.query(sql.ENTER, values)).length > 0;
    if (isIn) await this.announce();
    return isIn;
  }

  /** To this process too: its own session hears it. Those who miss it see it at their next renewal. */
  private async announce(): Promise<void> {
    await this.session.query(sql.ANNOUNCE, [CHANGES_CHANNEL, `${this.current} ${PROCESSES}`]).catch(() => undefined);
  }

  private async requireSharedSecret(): Promise<void> {
    const find = () => this.session.query<Stranger>(sql.FIND_STRANGER, [this.id, this.secretPrint]);
    const [first] = await find();
    for (let now = first; now !== undefined; [now] = await find()) {
      if (now.runner_id !== first!.runner_id || now.seen_at !== first!.seen_at) {
        await this.session.query(sql.WITHDRAW, [this.id, this.current]);
        await this.leave();
        throw new ClusterSecretError(refusalOf(now, this.secretPrint));
      }
      await delay(RETRY_MS); // one that was killed is there until its lease runs out
    }
  }

  private keep(): void {
    const watch = new LeaseWatch(() => this.renew());
    this.watch = watch;
    watch.lost.addEventListener('abort', () => void this.comeBack(watch));
  }

  private async renew(): Promise<boolean> {
    this.holdsName = await this.holdName(); // the session may be a new one
    const values = [this.id, this.current, this.address, JSON.stringify(this.executors)];
    const [row] = await this.session.query<{ serving: number }>(sql.RENEW, values);
    if (row !== undefined) this.servingProcesses = Math.max(1, row.serving);
    return row !== undefined;
  }

  /** As a new incarnation, unless another process has the name by now. */
  private async comeBack(watch: LeaseWatch): Promise<void> {
    watch.close();
    const before = this.current;
    this.current = newId();
    while (!this.isLeaving) {
      const isBack = await this.write(before, false).catch(() => null); // the database is away: another try
      if (isBack === false) return this.lose();
      if (isBack) break;
      await delay(REENTER_MS);
    }
    if (this.isLeaving) return;
    this.logger.warn('the lease of this server ran out and was taken anew: what it ran was ended');
    this.keep();
  }

  private lose(): void {
    this.logger.error('this server runs no agents any more, restart it: another server runs in its place');
    this.taken.abort(new RunnerTakenError('another server runs in the place of this one'));
  }

  private async holder(): Promise<{ seen_at: string } | null> {
    const [row] = await this.session.query<{ seen_at: string }>(sql.FIND_HOLDER, [this.id]);
    return row ?? null;
  }

  /** A hint that ends with the session: once a killed server's is gone, nobody has to wait for its lease. */
  private async holdName(): Promise<boolean> {
    if (this.settings.ROLE === 'api') return true; // its name is new
    const [row] = await this.session.query<{ is_held: boolean }>(sql.HOLD_NAME, [`taskyard-runner ${this.id}`]);
    return row?.is_held === true;
  }
}

const takenBy = (dataDir: string): string =>
  `another server already uses DATA_DIR ${dataDir}: stop it, or give this one a DATA_DIR of its own`;

type Stranger = { runner_id: string; role: string; address: string; secret_print: string; seen_at: string };

/** Tells processes with another secret, and cannot be turned back into it. */
const printOf = (secret: string): string =>
  secret && createHmac('sha256', secret).update('taskyard cluster').digest('hex').slice(0, 16);

function refusalOf({ role, address, secret_print }: Stranger, ownPrint: string): string {
  const other = `another server (ROLE=${role}, ${address}) uses this database`;
  if (!ownPrint) return `${other}: set CLUSTER_SECRET to the same value for both, or stop the other one`;
  const problem = secret_print ? 'its CLUSTER_SECRET is another one' : 'it has no CLUSTER_SECRET';
  return `${other}, and ${problem}: start all of them with the same one`;
}
