import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { type ForgeKind, type ForgeSettings, readForges } from '../config/forges-file.js';
import { AppError } from '../platform/errors/app-error.js';
import type { RemoteCredential, RemoteCredentials } from '../git/remote-link.js';
import { remoteAddress } from './forge-address.js';
import { ForgeClient } from './forge-client.js';
import type { ForgeOutput } from './forge.dto.js';
import type { Forge } from './forge.js';
import { GiteaForge } from './gitea/gitea.adapter.js';
import { GithubForge } from './github/github.adapter.js';
import { type ForgeIssue, githubIssues } from './github/github-issues.js';
import { GitlabForge } from './gitlab/gitlab.adapter.js';

/** A repository on its forge. */
export interface ForgePlace {
  forge: Forge;
  repository: string;
}

interface Configured {
  settings: ForgeSettings;
  client: ForgeClient;
  forge: Forge;
}

const adapters: Record<ForgeKind, new (client: ForgeClient) => Forge> = {
  github: GithubForge,
  gitlab: GitlabForge,
  gitea: GiteaForge,
};
const authorizations: Record<ForgeKind, (token: string) => Record<string, string>> = {
  github: (token) => ({ authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }),
  gitlab: (token) => ({ 'private-token': token }),
  gitea: (token) => ({ authorization: `token ${token}` }),
};

/** The forges of FORGES_FILE. No other host is contacted. */
@Injectable()
export class ForgesService implements RemoteCredentials {
  private readonly configured: ReadonlyMap<string, Configured>;

  /** @throws EnvironmentError where FORGES_FILE cannot be used */
  constructor(@Inject(ENVIRONMENT) { FORGES_FILE, GIT_REMOTE_TIMEOUT_SECS }: Environment) {
    const all = readForges(FORGES_FILE).map((settings): Configured => {
      const { host, kind, api_url, token } = settings;
      const connection = { host, api_url, token, timeout_ms: GIT_REMOTE_TIMEOUT_SECS * 1_000 };
      const client = new ForgeClient({ ...connection, authorization: authorizations[kind] });
      return { settings, client, forge: new adapters[kind](client) };
    });
    this.configured = new Map(all.map((one) => [one.settings.host, one]));
  }

  list(): ForgeOutput[] {
    return [...this.configured.values()].map(({ settings, client, forge }) => ({
      host: settings.host,
      kind: settings.kind,
      merge_methods: [...forge.capabilities.merge_methods],
      has_queue: forge.capabilities.has_queue,
      resolves_comments: forge.capabilities.resolves_comments,
      takes_webhooks: settings.webhookSecret !== null,
      rests_for_secs: Math.ceil(client.quota.restMs / 1_000),
    }));
  }

  /** @throws AppError forge_unconfigured where there is none at all, so that no pull request can be */
  requireAny(): void {
    if (this.configured.size === 0)
      throw new AppError(
        'forge_unconfigured',
        { host: 'this server' },
        'Have the operator list the forge of the repository, with a token, in FORGES_FILE; ' +
          '{op:merge_attempt} needs none.',
      );
  }

  /** @param url of the remote @throws AppError forge_unconfigured */
  place(url: string): ForgePlace {
    const address = remoteAddress(url);
    const match = address && this.matching(address.host, address.isSsh);
    if (!address || !match) throw new AppError('forge_unconfigured', { host: address?.host ?? 'a local folder' });
    return { forge: match.forge, repository: address.repository };
  }

  /** @throws AppError forge_unconfigured where it was taken out of the file */
  get(host: string): Forge {
    const found = this.configured.get(host);
    if (!found) throw new AppError('forge_unconfigured', { host });
    return found.forge;
  }

  /** Issues of a repository on GitHub, on its only host or on the given one. @throws AppError forge_unconfigured */
  issuesOnGithub(repository: string, host?: string): { host: string; issues: AsyncGenerator<ForgeIssue> } {
    const known = [...this.configured.values()].filter(({ settings }) => settings.kind === 'github');
    const found = known.find(({ settings }) => settings.host === (host ?? known[0]?.settings.host));
    if (!found)
      throw new AppError(
        'forge_unconfigured',
        { host: host ?? 'github.com' },
        'Have the operator list it, with a token that may read issues, in FORGES_FILE.',
      );
    return { host: found.settings.host, issues: githubIssues(found.client, repository) };
  }

  /** Secret of its webhooks; null if none are accepted. */
  webhookOf(host: string): { kind: ForgeKind; secret: string } | null {
    const settings = this.configured.get(host)?.settings;
    return settings?.webhookSecret ? { kind: settings.kind, secret: settings.webhookSecret() } : null;
  }

  /** Credential for git on that host. Never over plain HTTP, except to this machine. */
  find(origin: string): Promise<RemoteCredential | null> {
    const { protocol, host } = new URL(origin);
    const settings = this.configured.get(host)?.settings;
    if (!settings || (protocol !== 'https:' && protocol !== new URL(settings.api_url).protocol))
      return Promise.resolve(null);
    const username = { github: 'x-access-token', gitlab: 'oauth2', gitea: 'taskyard' }[settings.kind];
    return Promise.resolve({ username, password: settings.token() });
  }

  /** How long polling of that host should wait. */
  restMs(host: string): number {
    return this.configured.get(host)?.client.quota.restMs ?? 0;
  }

  private matching(host: string, isSsh: boolean): Configured | undefined {
    if (!isSsh) return this.configured.get(host);
    return [...this.configured.values()].find(({ settings }) => settings.host.replace(/:\d+$/, '') === host);
  }
}
