import type { Readable } from 'node:stream';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { type BackupSource, openBackup } from './take-backup.js';

/** Backups of the database of this server, with the work in its worktrees. */
export class BackupService {
  constructor(private readonly source: BackupSource) {}

  /** @returns a tar.gz @throws AppError forbidden to a token that is for some projects alone */
  async open({ projects }: Principal): Promise<Readable> {
    if (projects !== 'all') throw new AppError('forbidden', { reason: 'a backup holds every project' });
    return openBackup(this.source);
  }
}
