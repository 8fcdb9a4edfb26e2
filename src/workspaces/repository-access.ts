import { lookup } from 'node:dns/promises';
import { realpath } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import type { Environment } from '../config/environment.js';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { commonDirOf } from '../git/repository.js';
import { isLoopback } from '../platform/access/access-control.js';
import { kindOf } from '../platform/network/addresses.js';
import type { RemoteSource } from './clone-source.js';
import { inspectRepository, invalid } from './repository-inspection.js';
import type { RepositoryFacts } from './workspace-host.js';

/** Addresses of a host if all of them are public; else none. */
async function publicAddresses(host: string): Promise<string[]> {
  try {
    const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true });
    return found.every(({ address }) => kindOf(address) === 'public') ? found.map(({ address }) => address) : [];
  } catch {
    return []; // unknown names are treated like private ones, so that the answer does not reveal which names exist
  }
}

export type AccessSettings = Pick<
  Environment,
  'DATA_DIR' | 'HOST' | 'REPOSITORY_ROOTS' | 'REPOSITORY_HOSTS' | 'GIT_REMOTE_TIMEOUT_SECS'
>;

/** Never prompts. */
export const SSH = 'ssh -o BatchMode=yes -o ConnectTimeout=10';

/** Settings that pin one clone to the addresses that were checked. */
interface Route {
  config: [string, string][];
  env: Record<string, string>;
}

/** Which repositories callers may name: folders below REPOSITORY_ROOTS, hosts of REPOSITORY_HOSTS. */
export class RepositoryAccess {
  constructor(private readonly settings: AccessSettings) {}

  /** The folder itself, the root of its repository and the git dir behind it must all be allowed, by their real paths.
   *  @throws AppError repo_invalid */
  async inspect(git: Git, folder: string): Promise<RepositoryFacts> {
    if (path.isAbsolute(folder) && !folder.includes('\0')) await this.requireFolder(path.resolve(folder));
    const facts = await inspectRepository(git, folder);
    await this.requireFolder(facts.root);
    await this.requireFolder(await commonDirOf(git, facts.root));
    return facts;
  }

  /** @throws AppError repo_invalid */
  async route({ scheme, host, port }: RemoteSource): Promise<Route> {
    const named = this.settings.REPOSITORY_HOSTS.map((name) => name.toLowerCase());
    if (named.includes(host) || named.includes(`${host}:${port}`)) return { config: [], env: {} };
    if (named.length > 0) throw invalid(`the host ${host}:${port} is not named in REPOSITORY_HOSTS`);
    const addresses = await publicAddresses(host);
    if (addresses.length === 0)
      throw invalid(`the host ${host} has no public address and is not named in REPOSITORY_HOSTS`);
    return pinned(scheme, host, port, addresses);
  }

  /** A forbidden folder is refused in the same way whether it exists or not. @throws AppError repo_invalid */
  async requireFolder(folder: string): Promise<void> {
    const data = await realPath(this.settings.DATA_DIR);
    const roots = await this.roots();
    const real = await realPath(folder);
    if ([folder, real].some((place) => isInside(place, data)))
      throw invalid(`the folder ${folder} belongs to this server`);
    if (!roots.some((root) => isInside(real, root)))
      throw invalid(`the folder ${folder} is not below a folder that REPOSITORY_ROOTS names`);
  }

  /** Beyond loopback, callers are not the server's owner, so no folder is open to them by default. */
  private roots(): Promise<string[]> {
    const { REPOSITORY_ROOTS, HOST } = this.settings;
    const roots = REPOSITORY_ROOTS.length === 0 && isLoopback(HOST) ? ['/'] : REPOSITORY_ROOTS;
    return Promise.all(roots.map(realPath));
  }
}

/** Pins the name, so that git cannot resolve it to another address. */
export function pinned(scheme: string, host: string, port: string, addresses: string[]): Route {
  const [address = host] = addresses;
  if (isIP(host.replace(/^\[|\]$/g, ''))) return { config: [], env: {} };
  if (/^https?$/.test(scheme)) {
    const list = addresses.map((one) => (isIP(one) === 6 ? `[${one}]` : one)).join(',');
    return { config: [['http.curloptResolve', `${host}:${port}:${list}`]], env: {} };
  }
  if (scheme !== 'ssh')
    throw invalid(`the host ${host} must be named in REPOSITORY_HOSTS to be used over ${scheme}://`);
  const alias = port === '22' ? host : `[${host}]:${port}`;
  return { config: [], env: { GIT_SSH_COMMAND: `${SSH} -o HostName=${address} -o 'HostKeyAlias=${alias}'` } };
}

/** Resolves links as far as the path exists; the rest is kept. */
async function realPath(folder: string): Promise<string> {
  const real = await ifThere(realpath(folder));
  if (real !== null || folder === path.dirname(folder)) return real ?? folder;
  return path.join(await realPath(path.dirname(folder)), path.basename(folder));
}

function isInside(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return relative === '' || !(relative === '..' || relative.startsWith('../') || path.isAbsolute(relative));
}
