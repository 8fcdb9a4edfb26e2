import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { GitError } from '../platform/git/git-error.js';
import type { Git } from '../platform/git/git.js';
import { exists } from '../platform/git/if-there.js';
import { inspectRepository, invalid } from './repository-inspection.js';
import type { RepositoryFacts } from './workspace-host.js';

const CLONE_TIMEOUT_MS = 10 * 60_000;
// user@host:path, which git takes for ssh.
const SCP_LIKE = /^[\w.-]+@[\w.-]+:[^:].*$/;

/** Clones without a checkout; a second call with the same target answers the clone that is there.
 *  @throws AppError repo_invalid, storage_full */
export async function cloneRepository(git: Git, url: string, target: string): Promise<RepositoryFacts> {
  if (!isAllowed(url))
    throw invalid('the URL must begin with https://, http://, ssh://, git:// or file://, or be an absolute path');
  if (await exists(target)) return inspectRepository(git, target);
  const partial = `${target}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    await git.run(path.dirname(target), ['clone', '--bare', '--quiet', '--no-recurse-submodules', '--', url, partial], {
      timeoutMs: CLONE_TIMEOUT_MS,
      env: { GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file' },
    });
    const facts = await inspectRepository(git, partial);
    await rename(partial, target);
    return { ...facts, root: target };
  } catch (error) {
    throw error instanceof GitError && error.code === 'git_failed' ? invalid(String(error.details.reason)) : error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** No `ext::` and other helpers that run programs, nothing that reads as an option. */
function isAllowed(url: string): boolean {
  // eslint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(url) || url.startsWith('-')) return false;
  return (
    path.isAbsolute(url) || SCP_LIKE.test(url) || (/^(https?|ssh|git|file):\/\/[^-]/.test(url) && URL.canParse(url))
  );
}
