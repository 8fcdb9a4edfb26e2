import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-error.js';
import { identityOf, isLive } from './process-identity.js';

const pollMs = 50;
const patienceMs = 180_000;
/** A lock without a name is one whose owner is about to write it, or died before it did. */
const namelessMs = 5_000;

/** Starts and stops of one data folder happen one after another, across processes. The lock of a dead process is
 *  taken over. */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = path.join(dataDir, 'postgres.lock');
  await acquire(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function acquire(lock: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!create(lock)) {
    removeStale(lock);
    if (performance.now() > giveUpAt)
      throw new EmbeddedPostgresError(`Another process (${ownerOf(lock)}) has held ${lock} for too long: stop it.`);
    await delay(pollMs);
  }
}

function create(lock: string): boolean {
  const file = openNew(lock);
  if (file === undefined) return false;
  try {
    writeSync(file, identityOf(process.pid)!);
    return true;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function openNew(lock: string): number | undefined {
  try {
    return openSync(lock, 'wx', 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** Renaming first makes sure that of several processes only one removes this lock, and never the next owner's by
 *  mistake. */
function removeStale(lock: string): void {
  const owner = ownerOf(lock);
  if (owner === undefined || !isStale(lock, owner)) return;
  const taken = `${lock}.${process.pid}`;
  try {
    renameSync(lock, taken);
  } catch {
    return; // another process was quicker
  }
  if (ownerOf(taken) === owner) rmSync(taken);
  else renameSync(taken, lock);
}

function isStale(lock: string, owner: string): boolean {
  return owner === '' ? Date.now() - modifiedAt(lock) > namelessMs : !isLive(owner);
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

function ownerOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
