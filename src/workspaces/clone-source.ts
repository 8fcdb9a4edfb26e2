import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RemoteCredential } from '../git/remote-link.js';
import { invalid } from './repository-inspection.js';

const PORTS: Readonly<Record<string, string>> = { https: '443', http: '80', ssh: '22', git: '9418' };
// user@host:path, which git takes for ssh.
const SCP_LIKE = /^[\w.-]+@([\w.-]+):[^:].*$/;
// git decodes percent-encoded hosts, so they are refused.
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/i;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]/;

/** A repository on another machine, or on another port of this one. */
export interface RemoteSource {
  scheme: string;
  /** Without a password: git may see and keep it. */
  url: string;
  host: string;
  port: string;
  /** Null where the URL holds nothing secret. */
  credential: RemoteCredential | null;
}

/** Refuses `ext::` and other helpers that run programs, and whatever reads as an option.
 *  @returns an absolute path for a repository on this machine. @throws AppError repo_invalid */
export function cloneSource(url: string): string | RemoteSource {
  if (CONTROL.test(url) || url.startsWith('-')) throw notAllowed();
  if (path.isAbsolute(url)) return url;
  const host = SCP_LIKE.exec(url)?.[1];
  if (host !== undefined) return { scheme: 'ssh', url, host: host.toLowerCase(), port: PORTS.ssh!, credential: null };
  if (!/^(https?|ssh|git|file):\/\/[^-]/.test(url) || !URL.canParse(url)) throw notAllowed();
  const parsed = new URL(url);
  return parsed.protocol === 'file:' ? folderOf(parsed) : remoteOf(parsed);
}

function remoteOf(url: URL): RemoteSource {
  const scheme = url.protocol.slice(0, -1);
  const host = url.hostname.toLowerCase();
  if (!HOST.test(host) || host.startsWith('-')) throw notAllowed();
  const credential = /^https?$/.test(scheme) && (url.username || url.password) ? credentialOf(url) : null;
  const shown = withoutSecret(url);
  return { scheme, url: shown.href, host, port: url.port || PORTS[scheme]!, credential };
}

/** Keeps the user of ssh URLs, which is no secret; in HTTP URLs it is often a token. */
export function withoutSecret(url: URL): URL {
  const shown = new URL(url);
  shown.password = '';
  if (shown.protocol !== 'ssh:') shown.username = '';
  return shown;
}

const credentialOf = ({ username, password }: URL): RemoteCredential => ({
  username: decoded(username),
  password: decoded(password),
});

function decoded(part: string): string {
  try {
    const text = decodeURIComponent(part);
    if (!CONTROL.test(text)) return text;
  } catch {
    // refused like a line break, which would add a line to the helper's answer
  }
  throw notAllowed();
}

function folderOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw notAllowed(); // it contains a host, or an encoded slash
  }
}

function notAllowed() {
  return invalid('the URL must begin with https://, http://, ssh://, git:// or file://, or be an absolute path');
}
