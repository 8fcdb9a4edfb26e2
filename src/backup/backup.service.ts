import type { Readable } from 'node:stream';
import { type BackupSource, openBackup } from './take-backup.js';

/** Backups of the database of this server, with the work in its worktrees. */
export class BackupService {
  constructor(private readonly source: BackupSource) {}

  /** @returns a tar.gz */
  open(): Promise<Readable> {
    return openBackup(this.source);
  }
}
