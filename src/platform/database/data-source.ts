import type pg from 'pg';
import { DataSource, type EntitySchema } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { AnsweringClient } from './answering-client.js';

export type EntityClass = string | EntitySchema | (new () => object);

/** Limits that keep a lost client or a forgotten statement from holding locks for ever. */
const STATEMENT_TIMEOUT_MS = 15_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** Maximum age of a pooled connection. An idle timeout would cost every statement a timer. */
const CONNECTION_LIFETIME_SECONDS = 300;

export async function openDataSource(
  url: string,
  environment: Environment,
  entities: EntityClass[],
): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities,
    applicationName: 'taskyard',
    poolSize: environment.DATABASE_POOL_SIZE,
    synchronize: false,
    poolErrorHandler: () => undefined, // idle connections end with the database; the next query reports it
    extra: {
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 0,
      maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      Client: AnsweringClient,
      onConnect: neverCompile,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  });
  return dataSource.initialize();
}

/** A walk is planned as if it read every block, which a server with LLVM takes for a reason to compile: seconds for a
 *  statement of 2 ms. A parameter of the start would be one more that a pooler has to let through. */
const neverCompile = async (client: pg.Client): Promise<void> => {
  await client.query('SET jit = off');
};
