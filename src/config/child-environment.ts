import path from 'node:path';

/** What agents and scripts see of the server's environment: where programs are and how people read. Never secrets. */
const ALLOWED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TERM',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
];

/** The allow-listed environment plus the names an operator added with AGENT_ENV. */
export function agentEnvironment(
  extraNames: readonly string[],
  source: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const names = [...ALLOWED, ...extraNames];
  return Object.fromEntries(names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])));
}

/** Folders of PATH, in order. */
export function searchPath(source: NodeJS.ProcessEnv = process.env): string[] {
  return (source.PATH ?? '').split(path.delimiter).filter(Boolean);
}

/** What git sees of it: where programs and the user's settings are, and nothing else (no GIT_*, no secret). */
export function gitEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return { PATH: source.PATH ?? '/usr/local/bin:/usr/bin:/bin', HOME: source.HOME ?? '/' };
}

/** What a call to a remote needs in addition: ssh keys and proxies. */
const REMOTE = [
  'SSH_AUTH_SOCK',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

export function remoteGitEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(REMOTE.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])));
}
