import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { AsyncValue } from '../context/async-value.js';
import { toAppError } from '../errors/to-app-error.js';
import { type TextTimes, textTimes } from './text-times.js';

export const DATA_SOURCE = Symbol('DataSource');

type PostgresQueryRunner = QueryRunner & { releasePostgresConnection(error: Error): Promise<void> };
/** Proof that a transaction is open, which only `Database.transaction` creates. Functions that must run inside one take
 *  it as a parameter. */
class OpenTransaction {
  private readonly callbacks: (() => void)[] = [];
  private over = false;

  constructor(readonly runner: QueryRunner) {}

  /** Its connection serves somebody else by now. */
  get isOver(): boolean {
    return this.over;
  }

  close(): Promise<void> {
    this.over = true;
    return this.runner.release();
  }

  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }

  committed(): void {
    this.callbacks.forEach((callback) => callback());
  }
}
export type Transaction = OpenTransaction;

const OVER = 'The transaction is over: something in it was not awaited.';
const openTransaction = new AsyncValue<OpenTransaction>();

/** The name is unique in the server. The text names its columns: with `*`, a migration that adds one breaks connections
 *  that prepared the old shape. */
export interface PreparedStatement {
  name: string;
  text: string;
}

/** The one door to PostgreSQL. Queries inside `transaction` join it, whoever makes them. */
@Injectable()
export class Database implements OnApplicationShutdown {
  constructor(@Inject(DATA_SOURCE) private readonly dataSource: DataSource) {}

  /** TypeORM's manager, of the open transaction where there is one. */
  get manager(): EntityManager {
    const transaction = openTransaction.get();
    if (transaction?.isOver) throw new Error(OVER);
    return transaction?.runner.manager ?? this.dataSource.manager;
  }

  get isInTransaction(): boolean {
    return openTransaction.get() !== undefined;
  }

  /** Rows of one statement with positional values. */
  query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.execute({ text: sql, values }).then(rowsOf<T>);
  }

  /** The same for frequent statements: each connection parses it once, and plans it once if one plan serves all values.
   *  Times are ISO text. */
  queryPrepared<T extends object>(statement: PreparedStatement, values: unknown[]): Promise<TextTimes<T>[]> {
    return this.execute(askedWith(statement, values)).then(rowsOf<TextTimes<T>>);
  }

  /** How many rows a write touched. */
  async affected(sql: string, values: unknown[] = []): Promise<number> {
    return (await this.execute({ text: sql, values })).rowCount ?? 0;
  }

  /** All or nothing; nested calls join the outer one. No git, processes or outbound HTTP inside. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const outer = openTransaction.get();
    if (outer) return work(outer);
    const transaction = new OpenTransaction(this.dataSource.createQueryRunner());
    try {
      await transaction.runner.startTransaction();
      const result = await openTransaction.run(transaction, () => work(transaction));
      await transaction.runner.commitTransaction();
      transaction.committed();
      return result;
    } catch (error) {
      await rollBack(transaction.runner, error);
      throw error;
    } finally {
      await transaction.close();
    }
  }

  /** Runs once the open transaction is committed, at once where none is open. */
  afterCommit(callback: () => void): void {
    const transaction = openTransaction.get();
    if (transaction) transaction.afterCommit(callback);
    else callback();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** Uses the driver's pool directly: TypeORM's query runner costs 0.1 ms a call. Promises are chained, not awaited,
   *  because each await costs 1 to 2 µs. Never throws synchronously. */
  private execute(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const transaction = openTransaction.get();
    if (transaction?.isOver) return Promise.reject(new Error(OVER));
    if (transaction) return transaction.runner.connect().then((client: pg.PoolClient) => client.query(query));
    return this.pool?.query(query) ?? Promise.reject(new Error('The connections to the database are closed.'));
  }

  /** Of the pool; `waiting` are calls, not connections. */
  get connections(): Record<'busy' | 'idle' | 'waiting', number> {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.pool ?? {};
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** undefined once they are closed */
  private get pool(): pg.Pool | undefined {
    return (this.dataSource.driver as PostgresDriver).master as pg.Pool | undefined;
  }
}

const prototypes = new WeakMap<PreparedStatement, object>();

/** pg copies a query's own fields but keeps its prototype, so what all calls share is in the prototype. */
function askedWith(statement: PreparedStatement, values: unknown[]): pg.QueryConfig {
  const shared = prototypes.get(statement) ?? { ...statement, types: textTimes };
  prototypes.set(statement, shared);
  return Object.assign(Object.create(shared) as pg.QueryConfig, { values });
}

const rowsOf = <T>({ rows }: pg.QueryResult): T[] => rows as T[];

/** A connection that no longer answers is closed, which also rolls back; in the pool it would block its next user. */
async function rollBack(runner: QueryRunner, cause: unknown): Promise<void> {
  try {
    if (toAppError(cause)?.code === 'database_unavailable') throw cause;
    if (runner.isTransactionActive) await runner.rollbackTransaction();
  } catch (error) {
    await (runner as PostgresQueryRunner).releasePostgresConnection(error as Error);
  }
}
