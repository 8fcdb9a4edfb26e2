import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { searchPath } from '../../config/child-environment.js';
import type { CommandLine } from '../executor.js';

/** Absolute path of bash, else sh, else null. */
export function findShell(): string | null {
  for (const name of ['bash', 'sh']) {
    const found = searchPath()
      .map((folder) => path.join(folder, name))
      .find(isExecutable);
    if (found) return found;
  }
  return null;
}

/** A script as one argument of the shell; the system allows 128 KB for it. */
export function scriptCommand(script: string): CommandLine {
  return { program: findShell() ?? 'sh', args: ['-c', script], env: {} };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // it is not there, or not ours to run
  }
}
