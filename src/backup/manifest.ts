import { SERVER_INFO } from '../config/version.js';
import { newestMigration } from '../migration/schema-state.js';
import { BackupError } from './archive.js';

/** Of the archive; a change of what lies where in it raises the number. */
export const FORMAT = 1;
/** Its first file, and its last. */
export const [MANIFEST, ENDING] = ['manifest.json', 'end.json'] as const;

/** Columns that are stored, and not computed by the database. */
export interface CopiedTable {
  name: string;
  columns: string[];
}

/** The number that an identity column has given last. */
export interface NumberedColumn {
  table: string;
  column: string;
  last: string;
}

/** What the archive is, and what comes. */
export interface Manifest {
  format: number;
  version: string;
  /** The last migration. */
  schema: string;
  /** Tells whether another place has the secret that what is sealed needs; not the secret. */
  secret_print: string;
  taken_at: string;
  /** In an order in which each finds the rows that it points at. */
  tables: CopiedTable[];
  numbers: NumberedColumn[];
}

/** The work of one repository of an attempt that is not in the archive. */
export interface LeftOut {
  attempt_id: string;
  repo_name: string | null;
  reason: string;
}

/** An archive without it is not whole. */
export interface Ending {
  rows: Record<string, number>;
  /** Repositories of attempts whose work was read from their worktrees. */
  works: number;
  left_out: LeftOut[];
}

/** @throws BackupError where this program cannot restore what another one wrote */
export function requireSameRelease({ format, version, schema }: Manifest): void {
  if (format !== FORMAT) throw new BackupError(`the backup has the format ${format}, this Taskyard reads ${FORMAT}`);
  const own = SERVER_INFO.version;
  if (version !== own)
    throw new BackupError(
      `the backup is of Taskyard ${version}, this is ${own}: restore it with ${version}, and update that`,
    );
  if (schema !== newestMigration)
    throw new BackupError(`the backup ends with the migration ${schema}, this Taskyard with ${newestMigration}`);
}
