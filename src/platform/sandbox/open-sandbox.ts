import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { agentEnvironment } from '../../config/child-environment.js';
import { type Environment, secretFiles } from '../../config/environment.js';
import { forgeFiles } from '../../config/forges-file.js';
import { isLoopback } from '../access/access-control.js';
import { chooseSandbox, SandboxError } from './choose-sandbox.js';
import type { Sandbox } from './sandbox.js';

/** Credentials below the home of the server's user. Agents' own logins are in their state folders. */
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

/** Files that name resolution needs below the hidden /run, into which /etc/resolv.conf may link. */
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

/** The folders a program needs to run: where it is found, where it really lies, and what is installed around it. */
export function programFolders(program: string): string[] {
  if (!path.isAbsolute(program)) return [];
  const places = [program, realPath(program)];
  return [...new Set(places.map(installationOf))].filter((folder) => folder !== '/');
}

/** `<prefix>/bin/x` is installed in the prefix, `<folder>/node_modules/…` in the outermost node_modules. */
function installationOf(file: string): string {
  const modules = file.indexOf('/node_modules/');
  if (modules >= 0) return file.slice(0, modules + '/node_modules'.length);
  const folder = path.dirname(file);
  return path.basename(folder) === 'bin' ? path.dirname(folder) : folder;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // the start will say that it is not there
  }
}

/** The sandbox of this server's runs. @throws SandboxError where there are none and nobody has asked for that by
 *  name */
export async function openSandbox(environment: Environment): Promise<Sandbox> {
  const { DATA_DIR, EXECUTORS_FILE, FORGES_FILE, HOST, ISOLATION, ROLE } = environment;
  const files = [...secretFiles(), ...(EXECUTORS_FILE ? [EXECUTORS_FILE] : []), ...forgeFiles(FORGES_FILE)];
  const hidden = hiddenPaths(DATA_DIR, files, agentEnvironment([]).HOME);
  const sandbox = await chooseSandbox(environment, hidden, resolverFiles());
  if (sandbox.isolation === 'none' && ISOLATION === 'auto' && !isLoopback(HOST) && ROLE !== 'api')
    throw new SandboxError(
      `Runs cannot be isolated on this machine (${sandbox.reason}) and HOST=${HOST} is open to the network: ` +
        'install bubblewrap, or set ISOLATION=none',
    );
  return sandbox;
}

/** For the operator, once the log is open. */
export function reportSandbox({ isolation, reason, limits }: Sandbox): void {
  new Logger('Sandbox').log({ isolation, reason, limits }, `runs are isolated by: ${isolation}`);
}
