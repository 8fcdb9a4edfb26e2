import { access as probe, constants } from 'node:fs/promises';
import path from 'node:path';
import { remoteGitEnvironment } from '../config/child-environment.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../git/git.js';
import { configEnvironment } from '../git/own-filters.js';
import type { RemoteCredentials, RemoteLink } from '../git/remote-link.js';
import { cloneSource, type RemoteSource } from './clone-source.js';
import { type RepositoryAccess, SSH } from './repository-access.js';
import { commonDirIfThere } from './trees.js';
import type { WorkspaceRepo } from './workspace-paths.js';

type Setting = [key: string, value: string];
type Place = Pick<WorkspaceRepo, 'repo_name' | 'repo_path'>;

/** Answers `get` once, from the pipe that `secret` feeds; `store` and `erase` are ignored. */
export const PIPE_HELPER = '!f() { test "$1" = get && cat <&3; }; f';
/** Ends stalled connections early. */
const STALLS: Setting[] = [
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '30'],
];
/** Hooks that decide about a push, or react to it. */
const HOOKS = ['pre-receive', 'update', 'proc-receive', 'reference-transaction'];
const receiving = (program: string): string =>
  `git -c safe.directory='*' -c core.hooksPath=/dev/null -c gc.auto=0 -c receive.autogc=false ${program}`;

/** Opens remotes of repositories. Programs named by a repository's own configuration are not run: whoever can write it
 *  could otherwise run them as this server. */
export class RemoteLinks {
  constructor(
    private readonly git: Git,
    private readonly access: RepositoryAccess,
    private readonly credentials: RemoteCredentials | null,
    private readonly timeoutMs: number,
  ) {}

  /** Names of the remotes of a repository. */
  async names({ repo_path }: Pick<Place, 'repo_path'>): Promise<string[]> {
    return (await this.git.text(repo_path, ['remote'])).split('\n').filter(Boolean);
  }

  /** As the user configured it. @throws AppError no_remote */
  async url({ repo_name, repo_path }: Place, remote: string, purpose: 'fetch' | 'push'): Promise<string> {
    const args = ['remote', 'get-url', ...(purpose === 'push' ? ['--push'] : []), '--', remote];
    const url = await this.git.text(repo_path, args, { accept: [0, 2] });
    if (url === '') throw new AppError('no_remote', { repo_name });
    return url;
  }

  /** @throws AppError repo_invalid where the host or the folder may not be used; remote_refused where a folder has
   *  hooks of its own */
  async open({ repo_name, repo_path }: Place, remote: string, purpose: 'fetch' | 'push'): Promise<RemoteLink> {
    const url = await this.url({ repo_name, repo_path }, remote, purpose);
    const isFolder = !/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !/^[\w.-]+@?[\w.-]*:/.test(url);
    const source = cloneSource(isFolder ? path.resolve(repo_path, url) : url);
    const base = { repo_name, remote };
    if (typeof source === 'string') {
      await this.requireFolder(source, base, purpose);
      return this.folderLink(base, source);
    }
    return this.hostLink(base, repo_path, source);
  }

  private async requireFolder(
    folder: string,
    base: Pick<RemoteLink, 'repo_name' | 'remote'>,
    purpose: 'fetch' | 'push',
  ): Promise<void> {
    await this.access.requireFolder(folder);
    const common = await commonDirIfThere(this.git, folder);
    if (common === null) return; // git says so
    await this.access.requireFolder(common);
    if (purpose === 'fetch') return;
    const hooks = path.resolve(common, (await configuredHooks(this.git, folder)) ?? 'hooks');
    const found = (await Promise.all(HOOKS.map(async (name) => ((await runs(hooks, name)) ? name : [])))).flat();
    if (found.length === 0) return;
    const message = `it is a folder of this machine whose hooks (${found.join(', ')}) this server does not run`;
    throw new AppError('remote_refused', { repo_name: base.repo_name, remote: base.remote, message });
  }

  private folderLink(base: Pick<RemoteLink, 'repo_name' | 'remote'>, url: string): RemoteLink {
    return {
      ...base,
      url,
      programs: {
        upload: [`--upload-pack=${receiving('upload-pack')}`],
        receive: [`--receive-pack=${receiving('receive-pack')}`],
      },
      options: { env: { GIT_ALLOW_PROTOCOL: 'file' }, readsNoFiles: true, timeoutMs: this.timeoutMs },
    };
  }

  /** A redirect could lead to a host that was not checked. */
  private async hostLink(
    base: Pick<RemoteLink, 'repo_name' | 'remote'>,
    repo_path: string,
    source: RemoteSource,
  ): Promise<RemoteLink> {
    const { config, env } = await this.access.route(source);
    const known = await this.answerTo(source, repo_path);
    const helpers = known === null ? await this.userHelpers(repo_path) : ownHelper(source.url);
    const settings: Setting[] = [
      ...config,
      ...STALLS,
      ['http.followRedirects', 'false'],
      ['core.alternateRefsCommand', 'true'],
      ...helpers,
    ];
    return {
      ...base,
      url: source.url,
      programs: { upload: [], receive: [] },
      options: {
        env: {
          ...remoteGitEnvironment(),
          GIT_SSH_COMMAND: SSH,
          GIT_PROXY_COMMAND: '',
          GCM_INTERACTIVE: 'never',
          GIT_ALLOW_PROTOCOL: source.scheme,
          ...env,
          ...configEnvironment(settings),
        },
        readsNoFiles: true,
        timeoutMs: this.timeoutMs,
        ...(known === null ? {} : { secret: known }),
      },
    };
  }

  /** Answer of the credential helper: what the URL contains, else what this server has for the host or repository. */
  async answerTo({ scheme, url, credential }: RemoteSource, repo_path: string): Promise<string | null> {
    if (!/^https?$/.test(scheme)) return null;
    const found = credential ?? (await this.credentials?.find(new URL(url).origin, repo_path));
    return found ? `username=${found.username}\npassword=${found.password}\n` : null;
  }

  /** Helpers of user and system only; those of the repository are programs of whoever wrote it. */
  private async userHelpers(repo_path: string): Promise<Setting[]> {
    const args = ['config', '--show-scope', '-z', '--get-regexp', String.raw`^credential\.(.*\.)?helper$`];
    const fields = (await this.git.text(repo_path, args, { accept: [0, 1], readsNoFiles: true })).split('\0');
    const settings: Setting[] = [['credential.helper', '']];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [key = '', ...value] = (fields[at + 1] ?? '').split('\n');
      if (/^(system|global)$/.test(fields[at] ?? '')) settings.push([key, value.join('\n')]);
    }
    return settings;
  }
}

/** Only its own configuration counts: the user's is disabled for the receiving git. */
async function configuredHooks(git: Git, folder: string): Promise<string | null> {
  const args = ['config', '--local', '--get', 'core.hooksPath'];
  return (await git.text(folder, args, { accept: [0, 1] })) || null;
}

async function runs(hooks: string, name: string): Promise<boolean> {
  return probe(path.join(hooks, name), constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** For this host only: all other helpers are dropped, and other hosts get none. */
const ownHelper = (url: string): Setting[] => [
  ['credential.helper', ''],
  [`credential.${new URL(url).origin}.helper`, PIPE_HELPER],
];
