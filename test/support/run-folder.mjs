import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Gives this run, its workers and their children a temporary folder of their own, so that leftovers can be seen. */
export function openRunFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-test-'));
  chmodSync(folder, 0o711); // the database user passes through it
  process.env.TMPDIR = folder;
  return folder;
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/** A folder for the databases of the run: in memory where there is room, since to copy and drop hundreds of them makes
 *  and removes their files by the hundred thousand. */
export function openDatabaseFolder(runFolder) {
  const folder = mkdtempSync(path.join(hasRoom() ? MEMORY : runFolder, 'taskyard-database-'));
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    accessSync(MEMORY, constants.W_OK);
    // a copy of the database's programs may have to run from it
    const runs = !/^\S+ \/dev\/shm \S+ \S*noexec/m.test(readFileSync('/proc/mounts', 'utf8'));
    return runs && bavail * bsize > ROOM_BYTES;
  } catch {
    return false; // there is none: macOS, or a container without it
  }
}

/** Removes it. @returns what tests left in it, folders with some of what they hold, which tells whose they are */
export function closeRunFolder(folder) {
  const left = readdirSync(folder, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name} (${some(path.join(folder, entry.name))})` : entry.name,
  );
  rmSync(folder, { recursive: true, force: true });
  return left;
}

const some = (folder) => readdirSync(folder, { recursive: true }).slice(0, 12).join(' ') || 'empty';
