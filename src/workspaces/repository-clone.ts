import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { remoteGitEnvironment } from '../config/child-environment.js';
import { GitError } from '../git/git-error.js';
import type { Git, GitOptions } from '../git/git.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { exists, ifThere } from '../git/if-there.js';
import { configEnvironment } from '../git/own-filters.js';
import { cloneSource, type RemoteSource } from './clone-source.js';
import { type RepositoryAccess, SSH } from './repository-access.js';
import { PIPE_HELPER, type RemoteLinks } from './remote-links.js';
import { inspectRepository, invalid } from './repository-inspection.js';
import type { RepositoryFacts } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

const CLONE_TIMEOUT_MS = 10 * 60_000;
const CLONE = ['clone', '--bare', '--quiet', '--no-local', '--no-recurse-submodules', '--'];

interface Call {
  args: string[];
  options: GitOptions;
}

/** Clones without a checkout; a second call with the same target returns the existing clone. Git does not store a
 *  password of the URL.
 *  @throws AppError repo_invalid, storage_full */
export async function cloneRepository(
  git: Git,
  access: RepositoryAccess,
  links: Pick<RemoteLinks, 'answerTo'>,
  { url, target }: { url: string; target: string },
): Promise<RepositoryFacts> {
  const source = cloneSource(url);
  if (await exists(target)) return inspectRepository(git, target);
  const partial = `${target}.partial`;
  const { args, options } =
    typeof source === 'string'
      ? await localCall(git, access, source)
      : await remoteCall(access, source, await links.answerTo(source, target));
  try {
    await rm(partial, { recursive: true, force: true });
    await git.run(path.dirname(target), [...args, partial], { timeoutMs: CLONE_TIMEOUT_MS, ...options });
    const facts = await inspectRepository(git, partial);
    await rename(partial, target);
    return { ...facts, root: target };
  } catch (error) {
    throw error instanceof GitError && error.code === 'git_failed' ? invalid(String(error.details.reason)) : error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function localCall(git: Git, access: RepositoryAccess, folder: string): Promise<Call> {
  const { root } = await access.inspect(git, folder);
  return { args: [...CLONE, root], options: { env: { GIT_ALLOW_PROTOCOL: 'file' } } };
}

/** A redirect could lead to a host that was not checked. */
async function remoteCall(access: RepositoryAccess, source: RemoteSource, secret: string | null): Promise<Call> {
  const { config, env } = await access.route(source);
  config.push(['http.followRedirects', 'false']);
  if (secret !== null) config.push([`credential.${new URL(source.url).origin}.helper`, PIPE_HELPER]);
  return {
    args: [...CLONE, source.url],
    options: {
      readsNoFiles: true,
      env: {
        ...remoteGitEnvironment(),
        GIT_SSH_COMMAND: SSH,
        GIT_ALLOW_PROTOCOL: source.scheme,
        ...env,
        ...configEnvironment(config),
      },
      ...(secret === null ? {} : { secret }),
    },
  };
}

/** Ids of the repositories that are cloned here. */
export async function listClones({ clones }: WorkspacePaths): Promise<string[]> {
  const names = (await ifThere(readdir(clones))) ?? [];
  return names.map((name) => path.basename(name, '.git')).filter((name) => UUID_PATTERN.test(name));
}
