/** Why there is no backup, or nothing was restored: one line for the operator. */
export class BackupError extends Error {}
