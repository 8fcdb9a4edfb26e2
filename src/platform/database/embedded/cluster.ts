import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Binaries } from './binaries.js';
import type { ClusterHome } from './cluster-home.js';
import { EmbeddedPostgresError, explain } from './embedded-error.js';
import { type ClusterUser, runProgram } from './run-program.js';

/** The release that made the cluster; undefined when there is none yet. One that cannot be read throws: it must not
 *  be made again. */
export function clusterMajor(cluster: string): number | undefined {
  return existsSync(cluster) ? Number(readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8')) : undefined;
}

/** Made under another name and renamed when complete: a cluster that exists is whole, and its password is known. */
export async function createCluster({ home, cluster, user }: ClusterHome, binaries: Binaries): Promise<void> {
  removeHalves(home);
  const half = mkdtempSync(`${cluster}.`);
  giveTo(half, user);
  const passwordFile = writePassword(home, user);
  const { ok, output } = await runProgram(binaries.initdb, initdbArguments(half, passwordFile, binaries.major), user);
  if (!ok) {
    const error = explain('initdb', output, home);
    rmSync(half, { recursive: true, force: true });
    throw error;
  }
  renameSync(half, cluster);
}

export function readPassword(home: string): string {
  try {
    return readFileSync(path.join(home, 'password'), 'utf8').trim();
  } catch {
    throw new EmbeddedPostgresError(
      `The password of the database (${home}/password) cannot be read: restore it, ` +
        `or remove ${home} to start from scratch.`,
    );
  }
}

function initdbArguments(folder: string, passwordFile: string, major: number): string[] {
  const unicode = major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  return [
    '-D',
    folder,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C',
    ...unicode,
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwordFile,
    '--no-instructions',
  ];
}

function writePassword(home: string, user: ClusterUser): string {
  const file = path.join(home, 'password');
  rmSync(file, { force: true });
  writeFileSync(file, randomBytes(24).toString('hex'), { flag: 'wx', mode: 0o600 });
  giveTo(file, user); // initdb runs as that user and reads it
  return file;
}

function removeHalves(home: string): void {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith('data.'))) {
    rmSync(path.join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

function giveTo(file: string, { uid, gid }: ClusterUser): void {
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
}
