import { EnvironmentError, loadEnvironment } from './config/environment.js';
import { requireDatabase } from './platform/database/required-database.js';
import { separateRole } from './platform/database/roles.js';
import { migrate } from './migration/migrate.js';

/** Migrates the schema and exits, for clusters whose servers do not migrate. */
try {
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = loadEnvironment();
  if (!DATABASE_URL) throw new EnvironmentError('DATABASE_URL is missing: an embedded database migrates at its start.');
  const ownerUrl = MIGRATION_DATABASE_URL || DATABASE_URL;
  await requireDatabase('MIGRATION_DATABASE_URL', ownerUrl);
  const ran = await migrate(ownerUrl, separateRole({ url: DATABASE_URL, ownerUrl }));
  console.log(`taskyard: ${ran} migrations ran, the schema is up to date`);
} catch (error) {
  console.error(error instanceof EnvironmentError ? `taskyard: ${error.message}` : error);
  process.exitCode = 1;
}
