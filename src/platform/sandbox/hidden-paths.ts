import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** Below the own home: what opens other doors. Agents' own logins are elsewhere, in their state folders. */
const CREDENTIALS = [
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.docker',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.netrc',
  '.pgpass',
  '.ssh',
];
/** Sockets of other services, and secrets that are mounted into a container. */
const SYSTEM = ['/run', '/var/run/secrets', '/etc/shadow', '/etc/gshadow'];

/** What no process of a run may see.
 *  @param secretFiles files that settings were read from
 *  @param home of the server's own user; those of others are hidden whole */
export function hiddenPaths(dataDir: string, secretFiles: readonly string[], home: string | undefined): string[] {
  return [dataDir, ...secretFiles, ...otherHomes(home), ...(home ? credentials(home) : []), ...SYSTEM];
}

/** What name resolution needs of a hidden /run: /etc/resolv.conf may be a link into it. */
export function resolverFiles(): string[] {
  try {
    const target = path.resolve('/etc', readlinkSync('/etc/resolv.conf'));
    return [target];
  } catch {
    return []; // an ordinary file, which is seen anyway
  }
}

const credentials = (home: string): string[] => CREDENTIALS.map((name) => path.join(home, name));

function otherHomes(home: string | undefined): string[] {
  const own = home && path.resolve(home);
  return ['/root', ...childrenOf('/home')].filter((other) => own !== other && !own?.startsWith(`${other}/`));
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => path.join(folder, name));
  } catch {
    return []; // no such folder, or not ours to read: then nobody below can read it either
  }
}
