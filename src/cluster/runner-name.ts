import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../config/environment.js';
import { newId } from '../platform/database/uuid.js';

/** The name of this process. A runner's name is kept with its worktrees in DATA_DIR; that of an API replica ends with
 *  it. */
export function runnerName({ ROLE, DATA_DIR }: Pick<Environment, 'ROLE' | 'DATA_DIR'>): string {
  return ROLE === 'api' ? newId() : readOrCreate(DATA_DIR);
}

function readOrCreate(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const file = path.join(dataDir, 'runner-id');
  try {
    writeFileSync(file, `${newId()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
