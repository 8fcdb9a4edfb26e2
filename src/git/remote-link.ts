import path from 'node:path';
import { AppError } from '../platform/errors/app-error.js';
import { GitError } from './git-error.js';
import type { GitOptions } from './git.js';

/** How to reach one remote: its URL, and the settings and credentials that git gets. */
export interface RemoteLink {
  repo_name: string;
  /** Name of the remote in the repository. */
  remote: string;
  /** Without secrets. Git is given the URL instead of the name, so that no program configured for the remote runs and
   *  no tracking ref moves. */
  url: string;
  /** Programs of the other side, if it is on this machine. */
  programs: { upload: string[]; receive: string[] };
  options: Pick<GitOptions, 'env' | 'secret' | 'timeoutMs' | 'readsNoFiles'>;
}

/** User name and password or token for a host. */
export interface RemoteCredential {
  username: string;
  password: string;
}

/** Credentials of this server for a repository, by origin (`https://git.example.com`); null if there are none and the
 *  user's apply. */
export interface RemoteCredentials {
  find(origin: string, repo_path: string): Promise<RemoteCredential | null>;
}

export const REMOTE_CREDENTIALS = Symbol('RemoteCredentials');

const HOST_KEY = [/Host key verification failed/];
const AUTH = [
  /could not read (Username|Password)|terminal prompts disabled/,
  /Authentication (failed|required)|Authorization error|Permission denied/i,
  /returned error: 40[13]|HTTP (Basic: Access denied|40[13])/,
];
const NOT_FOUND = [
  /repository '.*' not found|Repository not found|does not appear to be a git repository/i,
  /returned error: 404|HTTP 404/,
];
const UNREACHABLE = [
  /Could not resolve host|Failed to connect|Couldn't connect|No route to host|Network is unreachable/i,
  /Connection (refused|timed out|reset|closed)|Operation (too slow|timed out)|unable to access/i,
  /early EOF|hung up|unexpected disconnect|RPC failed|expected flush|unexpected flush packet|bad line length/i,
  /(returned error:|HTTP) (429|5\d\d)/,
];
const MESSAGE_LIMIT = 1_000;

/** Turns a failure to reach a remote into a code to act on; other failures are rethrown. */
export function remoteFailure(error: unknown, { repo_name, remote, options }: RemoteLink): unknown {
  if (!(error instanceof GitError) || error.code !== 'git_failed') return error;
  const reason = String(error.details.reason);
  if (error.failure.cause === 'timeout') {
    const late = `it did not answer within ${Math.round((options.timeoutMs ?? 0) / 1_000)} s`;
    return new AppError('remote_unreachable', { repo_name, remote, reason: late });
  }
  const says = (texts: readonly RegExp[]) => texts.some((text) => error.says(text));
  if (says(HOST_KEY)) return new AppError('remote_auth_failed', { repo_name, remote, reason: 'host_key' });
  if (says(AUTH)) return new AppError('remote_auth_failed', { repo_name, remote, reason });
  if (says(NOT_FOUND)) return new AppError('remote_not_found', { repo_name, remote, reason });
  if (says(UNREACHABLE)) return new AppError('remote_unreachable', { repo_name, remote, reason });
  return error;
}

/** Lines that the remote wrote, to be shown only. Secrets in URLs are removed. */
export function remoteLines(stderr: string): string {
  const lines = [...stderr.matchAll(/^remote: ?(.*?)\s*$/gm)].map(([, text = '']) => text);
  return (
    lines
      .join('\n')
      // eslint-disable-next-line no-control-regex
      .replace(/\x1b\[[0-9;]*[A-Za-z]|[\0-\x08\x0b-\x1f\x7f]/g, '')
      .replace(/:\/\/[^/\s'"]*@/g, '://')
      .trim()
      .slice(0, MESSAGE_LIMIT)
  );
}

/** The same text for every way to reach a repository: by ssh or https, with a user or without. */
export function comparableRemote(url: string): string {
  const [, scpHost, scpPath] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  const isScp = scpHost !== undefined && scpPath !== undefined;
  if (!isScp && !URL.canParse(url)) return path.resolve(url);
  const { hostname, pathname } = isScp ? { hostname: scpHost, pathname: `/${scpPath}` } : new URL(url);
  return `${hostname.toLowerCase()}/${pathname.replace(/^\/+|\/+$|\.git\/*$/g, '')}`;
}
