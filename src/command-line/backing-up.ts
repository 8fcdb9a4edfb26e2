import { Logger } from '@nestjs/common';
import { BackupError } from '../backup/archive.js';
import { type BackupContent, keepBackup } from '../backup/backup-file.js';
import { TaskyardError } from '../client/index.js';
import { EnvironmentError, loadEnvironment } from '../config/environment.js';
import { EmbeddedPostgresError } from '../platform/database/embedded/embedded-error.js';
import { SandboxError } from '../platform/sandbox/choose-sandbox.js';
import { CommandFailure, exits } from './exits.js';
import { complain, print, printJson } from './output.js';
import { type CommonOptions, openSession } from './session.js';

export type BackupOptions = CommonOptions & { offline?: boolean };

const refusals = [BackupError, EnvironmentError, EmbeddedPostgresError, SandboxError];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Of a server that runs, or of what a stopped one has left here. */
export async function backup(file: string, options: BackupOptions): Promise<void> {
  const content = await unlessRefused(() =>
    whileWanted((signal) => (options.offline ? fromHere(file, signal) : fromServer(file, options, signal))),
  );
  for (const { attempt_id, repo_name, reason } of content.ending.left_out)
    complain(`taskyard: not in it: the work of attempt ${attempt_id}${repo_name ? ` in ${repo_name}` : ''}: ${reason}`);
  tell(file, content, options);
}

/** Into an empty place of this machine. */
export async function restore(file: string, options: BackupOptions): Promise<void> {
  const content = await unlessRefused(async () => {
    const environment = quietEnvironment();
    const { restoreBackup } = await import('../backup/stopped-server.js');
    return restoreBackup(environment, file);
  });
  tell(file, content, options);
  if (!content.opensSecrets)
    complain(
      'taskyard: CLUSTER_SECRET differs from that of the backup (without one, secret-key in DATA_DIR): secrets of ' +
        'projects and passwords of repositories cannot be opened. Set that of the backup before the server starts.',
    );
  if (!options.json) complain('  next: taskyard serve');
}

function tell(file: string, { manifest, ending, bytes }: BackupContent, { json }: CommonOptions): void {
  const { version, schema, taken_at } = manifest;
  const rows = Object.values(ending.rows).reduce((sum, count) => sum + count, 0);
  if (json) return printJson({ file, bytes, version, schema, taken_at, rows, works: ending.works });
  print(`${file}: ${rows} rows of ${taken_at}, work of ${ending.works} worktrees, ${bytes} bytes`);
}

async function fromServer(file: string, options: CommonOptions, signal: AbortSignal): Promise<BackupContent> {
  const { client, server } = openSession(options);
  const bytes = await client.GET('/api/backup', { parseAs: 'stream', signal }).catch((error: unknown) => {
    if (!(error instanceof TaskyardError) || error.code !== 'unreachable') throw error;
    throw new CommandFailure(`${server} cannot be reached`, exits.failed, `taskyard backup --offline ${file}`);
  });
  return keepBackup(file, bytes as ReadableStream<Uint8Array>, signal);
}

async function fromHere(file: string, signal: AbortSignal): Promise<BackupContent> {
  const environment = quietEnvironment();
  const { backUpStopped } = await import('../backup/stopped-server.js');
  return backUpStopped(environment, (bytes) => keepBackup(file, bytes, signal));
}

/** What parts of the server log is not for whoever types a command. */
function quietEnvironment() {
  Logger.overrideLogger(false);
  return loadEnvironment();
}

/** A signal ends the work in order, so that nothing is left behind. */
async function whileWanted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  for (const name of SIGNALS) process.once(name, leave);
  try {
    return await work(leaving.signal);
  } catch (error) {
    throw leaving.signal.aborted ? new CommandFailure('interrupted: no backup was made', exits.interrupted) : error;
  } finally {
    for (const name of SIGNALS) process.off(name, leave);
  }
}

async function unlessRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFile = typeof (error as NodeJS.ErrnoException).syscall === 'string';
    if (isFile || refusals.some((type) => error instanceof type)) throw new CommandFailure((error as Error).message);
    throw error;
  }
}
