import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Gives this run, its workers and their children a temporary folder of their own, so that leftovers can be seen. */
export function openRunFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-test-'));
  chmodSync(folder, 0o711); // the database user passes through it
  process.env.TMPDIR = folder;
  return folder;
}

/** Removes it. @returns what tests left in it; `expected` are the names the run itself made */
export function closeRunFolder(folder, expected) {
  const left = readdirSync(folder).filter((name) => !expected.includes(name));
  rmSync(folder, { recursive: true, force: true });
  return left;
}
