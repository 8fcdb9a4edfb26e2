import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { findLivePostmaster } from './adoption.js';
import { openAppRole } from './app-role.js';
import { findBinaries } from './binaries.js';
import { clusterMajor, createCluster, readPassword } from './cluster.js';
import { type ClusterHome, openHome } from './cluster-home.js';
import { startPostmaster } from './cold-start.js';
import { urlOf } from './connection-check.js';
import { explainFileError } from './embedded-error.js';
import { type Postmaster, readPostmaster, stopPostmaster } from './postmaster.js';
import { join, leave } from './server-users.js';
import { withStartLock } from './start-lock.js';

export interface EmbeddedPostgres {
  /** Superuser, database `postgres`, with the generated password. */
  url: string;
  /** The server's own role, in the same database. */
  appUrl: string;
  /** The server was running already, left by a killed process or used by another one. */
  adopted: boolean;
  /** Stops the server, adopted or not, unless another process still uses it. */
  stop(): Promise<void>;
}

/** PostgreSQL without any set-up: finds or makes the cluster in `<dataDir>/postgres` and starts its server, or adopts
 *  the live one.
 *  @throws EmbeddedPostgresError with one line that says what to do */
export async function startEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const folder = path.resolve(dataDir);
  try {
    mkdirSync(folder, { recursive: true });
    return await withStartLock(folder, () => open(folder));
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

async function open(folder: string): Promise<EmbeddedPostgres> {
  const place = await openHome(folder);
  const note = join(place.home);
  try {
    const live = clusterMajor(place.cluster)
      ? await findLivePostmaster(place.cluster, readPassword(place.home))
      : undefined;
    const server = live ?? (await coldStart(place));
    const url = urlOf(server, readPassword(place.home));
    return {
      url,
      appUrl: await openAppRole(place.home, url),
      adopted: live !== undefined,
      stop: stopper(folder, place, note, server),
    };
  } catch (error) {
    leave(place.home, note);
    throw error;
  }
}

async function coldStart(place: ClusterHome): Promise<Postmaster> {
  const major = clusterMajor(place.cluster);
  const binaries = await findBinaries(place, major);
  if (!major) await createCluster(place, binaries);
  return startPostmaster(place, binaries, readPassword(place.home));
}

/** Stops what serves the cluster now: the server we knew may have been killed and started again by another user of
 *  it. */
function stopper(folder: string, { home, cluster }: ClusterHome, note: string, known: Postmaster): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    const identity = readPostmaster(cluster)?.identity ?? known.identity;
    if (leave(home, note) && identity) await stopPostmaster(identity);
  };
  return () => (stopped ??= withStartLock(folder, stop));
}
