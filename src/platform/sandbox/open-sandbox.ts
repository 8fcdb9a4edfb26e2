import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { agentEnvironment } from '../../config/child-environment.js';
import { type Environment, secretFiles } from '../../config/environment.js';
import { forgeFiles } from '../../config/forges-file.js';
import { isLoopback } from '../access/access-control.js';
import { chooseSandbox, SandboxError } from './choose-sandbox.js';
import { memoryProblem } from './container-memory.js';
import type { Sandbox } from './sandbox.js';

/** What runs see of the home of the server's user, which is hidden otherwise: toolchains, and what git is told there.
 *  No folder that holds credentials, such as all of .cargo. */
const SHOWN = [
  ...['.gitconfig', '.config/git/config', '.config/git/attributes', '.config/git/ignore'],
  ...['.asdf', '.nvm', '.pyenv', '.rbenv', '.rustup', '.sdkman', '.volta', '.local/share/mise'],
  ...['.bun/bin', '.cargo/bin', '.cargo/git', '.cargo/registry', '.deno/bin', 'go/bin', 'go/pkg'],
  ...['.gradle/wrapper', '.m2/repository', '.local/lib'],
];
/** Variables of runs that name files. */
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'];
/** Sockets of other services, and secrets that are mounted into a container. */
const SYSTEM = ['/run', '/var/run/secrets', '/etc/shadow', '/etc/gshadow'];

/** What no process of a run may see.
 *  @param secretFiles files that settings were read from
 *  @param home of the server's own user */
export function hiddenPaths(dataDir: string, secretFiles: readonly string[], home: string | undefined): string[] {
  return [dataDir, ...secretFiles, ...homes(home), ...SYSTEM];
}

/** What every process of a run sees although it lies in a hidden folder. */
export function shownPaths({ HOME, ...environment }: Readonly<Record<string, string>>): string[] {
  const certificates = CERTIFICATES.flatMap((name) => environment[name] ?? []);
  return [...resolverFiles(), ...certificates, ...(HOME ? SHOWN.map((name) => path.join(HOME, name)) : [])];
}

/** Files that name resolution needs below the hidden /run, into which /etc/resolv.conf may link. */
function resolverFiles(): string[] {
  try {
    const target = path.resolve('/etc', readlinkSync('/etc/resolv.conf'));
    return [target];
  } catch {
    return []; // an ordinary file, which is seen anyway
  }
}

const homes = (own: string | undefined): string[] =>
  [...new Set(['/root', ...childrenOf('/home'), path.resolve(own ?? '/')])].filter((home) => home !== '/');

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => path.join(folder, name));
  } catch {
    return []; // no such folder, or not ours to read: then nobody below can read it either
  }
}

/** What a program needs to run: where it is found, where it really lies, and what is installed around both. */
export function programPaths(program: string, home = agentEnvironment([]).HOME): string[] {
  if (!path.isAbsolute(program)) return [];
  const places = linksOf(program).map((place) => installationOf(place, home && path.resolve(home)));
  return [...new Set(places)].filter((place) => place !== '/');
}

/** `<prefix>/bin/x` is installed in the prefix, `<folder>/node_modules/…` in the outermost node_modules. A file alone
 *  where that is the home folder, or a prefix in it that others share, such as ~/.local and ~/.cargo. */
function installationOf(file: string, home: string | undefined): string {
  const modules = file.indexOf('/node_modules/');
  if (modules >= 0) return file.slice(0, modules + '/node_modules'.length);
  const folder = path.dirname(file);
  const isInBin = path.basename(folder) === 'bin';
  const installation = isInBin ? path.dirname(folder) : folder;
  const isShared = installation === home || (isInBin && path.dirname(installation) === home);
  return isShared ? file : installation;
}

/** The file itself and each that it is linked to. */
function linksOf(file: string, most = 10): string[] {
  try {
    if (most > 0 && lstatSync(file).isSymbolicLink())
      return [file, ...linksOf(path.resolve(path.dirname(file), readlinkSync(file)), most - 1)];
    return [file, realpathSync(file)];
  } catch {
    return [file]; // the start will say that it is not there
  }
}

/** The sandbox of this server's runs. @throws SandboxError where there are none and nobody has asked for that by
 *  name */
export async function openSandbox(environment: Environment): Promise<Sandbox> {
  const { DATA_DIR, EXECUTORS_FILE, FORGES_FILE, HOST, ISOLATION, ROLE, RUN_NETWORK } = environment;
  if (ROLE !== 'api') requireContainerSettings(environment);
  const files = [...secretFiles(), ...(EXECUTORS_FILE ? [EXECUTORS_FILE] : []), ...forgeFiles(FORGES_FILE)];
  const seen = agentEnvironment([]);
  // the launcher is for one server alone, and it must be the one that has runs
  const settings = ROLE === 'api' ? { ...environment, CELL_SOCKET: '' } : environment;
  const sandbox = await chooseSandbox(settings, hiddenPaths(DATA_DIR, files, seen.HOME), shownPaths(seen));
  if (sandbox.isolation === 'none' && ISOLATION === 'auto' && !isLoopback(HOST) && ROLE !== 'api')
    throw new SandboxError(
      `Runs cannot be isolated on this machine (${sandbox.reason}) and HOST=${HOST} is open to the network: ` +
        'install bubblewrap, or set ISOLATION=none',
    );
  if (sandbox.isolation === 'none' && ['open', 'listed', 'none'].includes(RUN_NETWORK) && ROLE !== 'api')
    throw new SandboxError(
      `RUN_NETWORK=${RUN_NETWORK} needs walls around runs, and there are none (${sandbox.reason}): ` +
        'install bubblewrap, or set RUN_NETWORK=host',
    );
  return sandbox;
}

function requireContainerSettings({ CELL_SOCKET, ISOLATION, RUN_NETWORK }: Environment): void {
  if (ISOLATION !== 'container') return;
  if (CELL_SOCKET === '')
    throw new SandboxError('ISOLATION=container needs CELL_SOCKET, the path at which `taskyard cell` listens');
  if (RUN_NETWORK === 'listed' || RUN_NETWORK === 'none')
    throw new SandboxError(
      `RUN_NETWORK=${RUN_NETWORK} needs walls around each run, which ISOLATION=container has not: leave it on auto, ` +
        'and restrict the network of the container',
    );
}

/** For the operator, once the log is open. */
export function reportSandbox({ isolation, reason, limits }: Sandbox, environment: Environment): void {
  const logger = new Logger('Sandbox');
  logger.log({ isolation, reason, limits }, `runs are isolated by: ${isolation}`);
  const problem = isolation === 'container' ? null : memoryProblem(environment);
  if (problem) logger.warn(`${problem.what}. ${problem.mend}`);
}
