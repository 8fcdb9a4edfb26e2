import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Gives this run, its workers and their children a temporary folder of their own, so that leftovers can be seen. */
export function openRunFolder() {
  const folder = openFolder('taskyard-test-');
  process.env.TMPDIR = folder;
  return folder;
}

/** A folder for the databases of the run, beside that of its tests. */
export const openDatabaseFolder = () => openFolder('taskyard-database-');

const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3;

/** In memory where there is room: hundreds of repositories, worktrees and databases are made and removed, which are
 *  files by the hundred thousand, and git waits for the disk at every reference. */
function openFolder(prefix) {
  const folder = mkdtempSync(path.join(hasRoom() ? MEMORY : tmpdir(), prefix));
  chmodSync(folder, 0o711); // the database user passes through it
  return folder;
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    accessSync(MEMORY, constants.W_OK);
    // scripts and a copy of the database's programs run from it
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
