import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { ClusterHome } from './cluster-home.js';
import { copyPackage, findPackage, hydrate } from './binary-package.js';
import { EmbeddedPostgresError } from './embedded-error.js';
import { type ClusterUser, runProgram } from './run-program.js';

export interface Binaries {
  postgres: string;
  initdb: string;
  major: number;
}

const systemRoot = '/usr/lib/postgresql';

/** The first PostgreSQL that runs here as the cluster's user: the package's, then the system's, newest first.
 *  @param major the release an existing cluster was made by; no other can open it. */
export async function findBinaries(place: ClusterHome, major?: number): Promise<Binaries> {
  const found: Binaries[] = [];
  for await (const binaries of runnable(place)) {
    if (major === undefined || binaries.major === major) return binaries;
    found.push(binaries);
  }
  throw nothingFits(place.cluster, found, major);
}

async function* runnable(place: ClusterHome): AsyncGenerator<Binaries> {
  const packaged = await fromPackage(place);
  if (packaged) yield packaged;
  for (const folder of systemFolders()) {
    const binaries = await inspect(folder, place.user);
    if (binaries) yield binaries;
  }
}

/** In place, or as a private copy where the cluster's user cannot reach the package or its links cannot be made. */
async function fromPackage({ home, user }: ClusterHome): Promise<Binaries | undefined> {
  const found = findPackage();
  if (!found) return undefined;
  hydrate(found.folder);
  return (await inspect(found.folder, user)) ?? inspect(copyPackage(found, home), user);
}

function systemFolders(): string[] {
  if (!existsSync(systemRoot)) return [];
  const majors = readdirSync(systemRoot)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(b) - Number(a));
  return majors.map((major) => path.join(systemRoot, major));
}

async function inspect(folder: string, user: ClusterUser): Promise<Binaries | undefined> {
  const postgres = path.join(folder, 'bin', 'postgres');
  const initdb = path.join(folder, 'bin', 'initdb');
  const [server, maker] = await Promise.all([
    runProgram(postgres, ['--version'], user),
    runProgram(initdb, ['--version'], user),
  ]);
  const major = /PostgreSQL\) (\d+)/.exec(server.output)?.[1];
  return server.ok && maker.ok && major ? { postgres, initdb, major: Number(major) } : undefined;
}

function nothingFits(cluster: string, found: Binaries[], major?: number): EmbeddedPostgresError {
  if (found.length === 0)
    return new EmbeddedPostgresError(
      `There is no PostgreSQL that runs on ${process.platform}-${process.arch} here: set DATABASE_URL.`,
    );
  const majors = found.map((binaries) => binaries.major).join(', ');
  return new EmbeddedPostgresError(
    `${cluster} was made by PostgreSQL ${major}, but only ${majors} is here: install ${major}, or set DATABASE_URL.`,
  );
}
