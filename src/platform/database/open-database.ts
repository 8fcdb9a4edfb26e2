import type { Environment } from '../../config/environment.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { requireDatabase } from './required-database.js';
import type { DatabaseAccess } from './roles.js';

export type OpenDatabase = DatabaseAccess & { stop: () => Promise<void> };

/** The database of the settings: that of DATABASE_URL, else the one in DATA_DIR, which runs until `stop`.
 *  @throws EnvironmentError, EmbeddedPostgresError */
export async function openDatabase(environment: Environment): Promise<OpenDatabase> {
  const { DATABASE_URL, MIGRATION_DATABASE_URL, DATA_DIR } = environment;
  if (!DATABASE_URL) {
    const embedded = await startEmbeddedPostgres(DATA_DIR);
    return { url: embedded.appUrl, ownerUrl: embedded.url, stop: () => embedded.stop() };
  }
  const ownerUrl = MIGRATION_DATABASE_URL || DATABASE_URL;
  await requireDatabase('DATABASE_URL', DATABASE_URL);
  if (ownerUrl !== DATABASE_URL) await requireDatabase('MIGRATION_DATABASE_URL', ownerUrl);
  return { url: DATABASE_URL, ownerUrl, stop: () => Promise.resolve() };
}
