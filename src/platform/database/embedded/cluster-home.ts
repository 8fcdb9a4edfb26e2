import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { clusterUser } from './cluster-user.js';
import { EmbeddedPostgresError } from './embedded-error.js';
import { type ClusterUser, runProgram } from './run-program.js';

/** Where the cluster lives and who owns it. The home stays with the current user; only the cluster's own files are
 *  handed over. */
export interface ClusterHome {
  home: string;
  cluster: string;
  user: ClusterUser;
}

/** For data folders the cluster's user cannot reach, such as those below /root. Not /var/tmp: it is swept by age. */
const privatePlaces = '/var/lib/taskyard';
/** Others may pass through to files that are theirs, but see no names. */
const passThrough = 0o711;

/** Opens `<dataDir>/postgres`. Where only root can enter, that name becomes a symbolic link to a private place, so that
 *  moving the data folder keeps its database and deleting it starts afresh. */
export async function openHome(dataDir: string): Promise<ClusterHome> {
  const wanted = path.join(dataDir, 'postgres');
  makeFolder(wanted);
  const opened = describe(wanted);
  if (await canEnter(opened)) return opened;
  moveToPrivatePlace(wanted);
  const moved = describe(wanted);
  if (await canEnter(moved)) return moved;
  throw new EmbeddedPostgresError(
    `The database user (uid ${moved.user.uid}) cannot enter ${moved.home}: ` +
      'choose another DATA_DIR, or set DATABASE_URL.',
  );
}

function describe(wanted: string): ClusterHome {
  const home = realpathSync(wanted); // PostgreSQL reports this path, and adoption compares it
  const cluster = path.join(home, 'data');
  return { home, cluster, user: clusterUser(cluster) };
}

function makeFolder(folder: string): void {
  if (isLink(folder)) {
    if (!existsSync(folder))
      throw new EmbeddedPostgresError(
        `${folder} points to a database that no longer exists: restore it, or remove the link to start from scratch.`,
      );
    return;
  }
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, passThrough); // mkdir's mode is cut by the umask
}

async function canEnter({ home, user }: ClusterHome): Promise<boolean> {
  if (user.uid === undefined) return ownsHome(home);
  return (await runProgram('test', ['-x', home], user)).ok;
}

function ownsHome(home: string): true {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    throw new EmbeddedPostgresError(
      `${home} belongs to another user: start as that user, choose another DATA_DIR, or set DATABASE_URL.`,
    );
  }
}

function moveToPrivatePlace(wanted: string): void {
  if (isLink(wanted) || existsSync(path.join(wanted, 'data'))) {
    throw new EmbeddedPostgresError(
      `The owner of the database in ${wanted} can no longer enter it: ` +
        'open its parent folders (chmod o+x), or set DATABASE_URL.',
    );
  }
  rmdirSync(wanted);
  symlinkSync(makePrivatePlace(), wanted);
}

function makePrivatePlace(): string {
  try {
    mkdirSync(privatePlaces, { recursive: true });
    chmodSync(privatePlaces, passThrough);
    const place = mkdtempSync(path.join(privatePlaces, 'db-'));
    chmodSync(place, passThrough);
    return place;
  } catch {
    throw new EmbeddedPostgresError(
      `The database user cannot enter the data folder, and ${privatePlaces} cannot be created: ` +
        'choose another DATA_DIR, or set DATABASE_URL.',
    );
  }
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
