import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type pg from 'pg';
import { runnerName } from '../cluster/runner-name.js';
import { gitEnvironment } from '../config/child-environment.js';
import type { Environment } from '../config/environment.js';
import { Git } from '../git/git.js';
import { exists, ifThere } from '../git/if-there.js';
import { migrate } from '../migration/migrate.js';
import { openDatabase } from '../platform/database/open-database.js';
import { separateRole } from '../platform/database/roles.js';
import { openSandbox } from '../platform/sandbox/open-sandbox.js';
import { SecretBox } from '../secrets/secret-box.js';
import { LocalWorkspaceHost } from '../workspaces/local-workspace-host.js';
import { mirroredWorkspaceHost } from '../workspaces/mirrored-workspace-host.js';
import { WorkspacePaths } from '../workspaces/workspace-paths.js';
import { BackupError } from './archive.js';
import { type BackupContent, inspectBackup } from './backup-file.js';
import { listTables } from './copied-tables.js';
import { hasSchema, openSession, requireNoServer } from './database-session.js';
import { requireSameRelease } from './manifest.js';
import { loadBackup } from './restore-backup.js';
import { openBackup } from './take-backup.js';

/** What may lie in the DATA_DIR of a restore: the key that opens what is sealed, and a database without rows. */
const BEFORE_RESTORE = ['secret-key', 'postgres'];
/** A row that a migration writes. */
const SEEDED = 'turn_clock';

/** A backup of what the settings name, while no server runs there.
 *  @param keep reads the archive
 *  @throws BackupError, EnvironmentError, EmbeddedPostgresError, SandboxError */
export async function backUpStopped<T>(environment: Environment, keep: (bytes: Readable) => Promise<T>): Promise<T> {
  const { DATABASE_URL, DATA_DIR } = environment;
  if (!DATABASE_URL && !(await exists(path.join(DATA_DIR, 'postgres'))))
    throw new BackupError(`there is no database in DATA_DIR ${DATA_DIR}`);
  const database = await openDatabase(environment);
  const host = await hostHere(environment);
  try {
    await withSession(database.ownerUrl, async (client) => {
      if (!(await hasSchema(client))) throw new BackupError('the database is none of Taskyard');
      await requireNoServer(client);
    });
    const box = await SecretBox.of(environment);
    const maxBytes = environment.WORKSPACE_SNAPSHOT_MAX_BYTES;
    const worktrees = { home: runnerName(environment), host: clonesIn(DATA_DIR, host), maxBytes };
    return await keep(await openBackup({ databaseUrl: database.ownerUrl, box, worktrees }));
  } finally {
    await host.onApplicationShutdown();
    await database.stop();
  }
}

export interface Restored extends BackupContent {
  /** Whether what is sealed in the database can be opened here. */
  opensSecrets: boolean;
}

/** Fills an empty place with a backup. Servers that start there find runs that nobody has, and worktrees whose home is
 *  lost: they end the former, and rebuild the latter from what is saved.
 *  @throws BackupError, EnvironmentError, EmbeddedPostgresError */
export async function restoreBackup(environment: Environment, file: string): Promise<Restored> {
  const content = await inspectBackup(file);
  requireSameRelease(content.manifest);
  if (!environment.DATABASE_URL) await requireEmptyFolder(environment.DATA_DIR);
  const database = await openDatabase(environment);
  try {
    await withSession(database.ownerUrl, requireEmpty);
    await migrate(database.ownerUrl, separateRole(database));
    await withSession(database.ownerUrl, (client) => loadBackup(client, file, content));
  } finally {
    await database.stop();
  }
  const box = await SecretBox.of(environment);
  return { ...content, opensSecrets: box.print === content.manifest.secret_print };
}

async function withSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openSession(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function hostHere(environment: Environment): Promise<LocalWorkspaceHost> {
  const { CLUSTER_SECRET, REPOSITORY_TRUST } = environment;
  const owner = CLUSTER_SECRET ? runnerName(environment) : '';
  const git = new Git(gitEnvironment(), { trusted: REPOSITORY_TRUST });
  return new LocalWorkspaceHost(environment, git, { owner, sandbox: await openSandbox(environment) });
}

/** Clones of this machine alone: a backup fetches none. */
function clonesIn(dataDir: string, host: LocalWorkspaceHost) {
  const paths = new WorkspacePaths(dataDir);
  return mirroredWorkspaceHost(host, { place: (id) => paths.clone(id), urlOf: () => Promise.resolve(null) });
}

async function requireEmptyFolder(dataDir: string): Promise<void> {
  const names = (await ifThere(readdir(dataDir))) ?? [];
  const [found] = names.filter((name) => !BEFORE_RESTORE.includes(name));
  if (found !== undefined) throw new BackupError(`DATA_DIR ${dataDir} is not empty: there is ${found} in it`);
}

/** The schema alone, as migrations leave it, is empty. */
async function requireEmpty(client: pg.Client): Promise<void> {
  const tables = await listTables(client);
  if (tables.length === 0) return;
  if (!(await hasSchema(client))) throw new BackupError('the database is not empty: it has tables of something else');
  await requireNoServer(client);
  for (const name of tables.map((table) => client.escapeIdentifier(table.name))) {
    const isSeeded = name === client.escapeIdentifier(SEEDED);
    const { rowCount } = isSeeded ? { rowCount: 0 } : await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
    if (rowCount) throw new BackupError(`the database is not empty: there are rows in ${name}`);
  }
}
