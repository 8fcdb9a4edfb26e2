import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { Environment } from '../config/environment.js';
import { isLoopback } from '../platform/access/access-control.js';
import { CHANGES_CHANNEL } from '../platform/database/change-hub.js';
import type { ListenConnection } from '../platform/database/listen-connection.js';
import type { Limits } from '../platform/sandbox/sandbox.js';
import { runnerName } from './runner-name.js';
import type { FoundExecutor } from './runners.repository.js';
import * as sql from './runners.sql.js';

export type RunnerSettings = Pick<
  Environment,
  | 'ROLE'
  | 'HOST'
  | 'DATA_DIR'
  | 'INTERNAL_ADDRESS'
  | 'INTERNAL_PORT'
  | 'CLUSTER_SECRET'
  | 'MAX_CONCURRENT_EXECUTIONS'
  | 'RUNNER_LABELS'
  | 'RUNNER_LIFE'
>;
export type Session = Pick<ListenConnection, 'query' | 'number'>;

/** A process that lives beside this one and shares no secret with it. */
export interface Stranger {
  runner_id: string;
  role: string;
  address: string;
  secret_print: string;
  seen_at: string;
}

/** Announced when a process comes or goes. */
export const PROCESSES = 'processes';
/** Announced when a turn may be taken. */
export const TURNS = 'queue:turns';

/** How many turns a process runs at a time. */
export function placesOf({
  ROLE,
  RUNNER_LIFE,
  MAX_CONCURRENT_EXECUTIONS,
}: Pick<Environment, 'ROLE' | 'RUNNER_LIFE' | 'MAX_CONCURRENT_EXECUTIONS'>): number {
  if (ROLE === 'api' || RUNNER_LIFE === 'keeper') return 0;
  return RUNNER_LIFE === 'attempt' ? 1 : MAX_CONCURRENT_EXECUTIONS;
}

/** The host at which the others reach this process: one that serves on loopback alone is reached there alone. */
export function internalHost({ HOST, INTERNAL_ADDRESS }: Pick<Environment, 'HOST' | 'INTERNAL_ADDRESS'>): string {
  const [, named = ''] = /^(.*):\d+$/.exec(INTERNAL_ADDRESS) ?? [];
  if (named || !isLoopback(HOST)) return named || hostname();
  return HOST.includes(':') ? `[${HOST}]` : HOST;
}

/** The row of this process among those of its database, and the lock on its name. */
export class RunnerEntry {
  readonly id: string;
  address: string;
  executors: readonly FoundExecutor[] = [];
  private readonly secretPrint: string;
  private isNew = false;
  /** The session that holds the name. */
  private namedIn: number | null = null;

  constructor(
    private readonly settings: RunnerSettings,
    private readonly session: Session,
    private readonly card: { version: string; isolation: string; limits: Limits },
  ) {
    this.id = runnerName(settings);
    this.address = settings.INTERNAL_ADDRESS || `${internalHost(settings)}:${settings.INTERNAL_PORT}`;
    this.secretPrint = printOf(settings.CLUSTER_SECRET);
  }

  /** May be repeated where only the answer was lost.
   *  @param before the incarnation of this process until now @param isVacant nobody else can be alive under this name
   *  @returns false where another process lives there */
  async enter(incarnation: string, before: string, isVacant: boolean): Promise<boolean> {
    const { ROLE, RUNNER_LABELS, RUNNER_LIFE } = this.settings;
    const { version, isolation, limits } = this.card;
    const slots = placesOf(this.settings);
    const card = [ROLE, this.address, version, slots, isolation, JSON.stringify(this.executors), this.secretPrint];
    const values = [
      this.id,
      incarnation,
      ...card,
      isVacant,
      before,
      JSON.stringify(limits),
      RUNNER_LABELS,
      RUNNER_LIFE,
    ];
    const [row] = await this.session.query<{ is_new: boolean }>(sql.ENTER, values);
    if (row === undefined) return false;
    this.isNew ||= row.is_new;
    await this.announce(incarnation);
    return true;
  }

  /** @returns how many processes serve now, or null where the lease is gone */
  async renew(incarnation: string): Promise<number | null> {
    await this.holdName(); // the session may be a new one
    const values = [this.id, incarnation, this.address, JSON.stringify(this.executors)];
    const [row] = await this.session.query<{ serving: number }>(sql.RENEW, values);
    return row?.serving ?? null;
  }

  async countServing(): Promise<number> {
    const [row] = await this.session.query<{ serving: number }>(sql.COUNT_SERVING, []);
    return row!.serving;
  }

  async drain(incarnation: string): Promise<void> {
    await this.session.query(sql.DRAIN, [this.id, incarnation]);
  }

  /** Of a start that is refused nothing is left that others would take for a lost runner. */
  async withdraw(incarnation: string): Promise<void> {
    if (this.isNew) await this.session.query(sql.WITHDRAW, [this.id, incarnation]);
    await this.leave(incarnation);
  }

  async leave(incarnation: string): Promise<void> {
    await this.session.query(sql.LEAVE, [this.id, incarnation]).catch(() => undefined); // then it runs out
    await this.announce(incarnation);
    await this.announce(incarnation, TURNS);
  }

  async holder(): Promise<{ seen_at: string } | null> {
    const [row] = await this.session.query<{ seen_at: string }>(sql.FIND_HOLDER, [this.id]);
    return row ?? null;
  }

  /** One that was there first: of two that start together one is refused. */
  async stranger(): Promise<Stranger | null> {
    const [row] = await this.session.query<Stranger>(sql.FIND_STRANGER, [this.id, this.secretPrint]);
    return row ?? null;
  }

  /** Once a session, with which it ends: when a killed server's is gone, nobody has to wait for its lease. */
  async holdName(): Promise<boolean> {
    const { number } = this.session;
    if (this.settings.ROLE === 'api' || this.namedIn === number) return true; // the name of an api replica is new
    const [row] = await this.session.query<{ is_held: boolean }>(sql.HOLD_NAME, [`taskyard-runner ${this.id}`]);
    if (row!.is_held) this.namedIn = number;
    return row!.is_held;
  }

  refusalOf({ role, address, secret_print }: Stranger): string {
    const other = `another server (ROLE=${role}, ${address}) uses this database`;
    if (!this.secretPrint) return `${other}: set CLUSTER_SECRET to the same value for both, or stop the other one`;
    const problem = secret_print ? 'its CLUSTER_SECRET is another one' : 'it has no CLUSTER_SECRET';
    return `${other}, and ${problem}: start all of them with the same one`;
  }

  /** Reaches this process too; who misses it sees the change at the next renewal. */
  private async announce(incarnation: string, what = PROCESSES): Promise<void> {
    await this.session.query(sql.ANNOUNCE, [CHANGES_CHANNEL, `${incarnation} ${what}`]).catch(() => undefined);
  }
}

/** Identifies the secret without revealing it. */
const printOf = (secret: string): string =>
  secret && createHmac('sha256', secret).update('taskyard cluster').digest('hex').slice(0, 16);
