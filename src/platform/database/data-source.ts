import { DataSource, type EntitySchema } from 'typeorm';
import type { Environment } from '../../config/environment.js';

export type EntityClass = string | EntitySchema | (new () => object);

/** Limits that keep a lost client or a forgotten statement from holding locks for ever. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A database that is frozen or cut off without a word cannot end a statement: then this side gives up. */
export const ANSWER_TIMEOUT_MS = 17_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;

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
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  });
  return dataSource.initialize();
}
