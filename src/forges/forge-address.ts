/** Host and path of a repository, from the URL of a remote. */
interface RemoteAddress {
  /** With the port if the URL has one, except for ssh, whose port is not that of the API. */
  host: string;
  isSsh: boolean;
  /** Path of the repository, such as `owner/name`. */
  repository: string;
}

/** Hosts that only take ssh, and the forge they belong to. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
};
const SCP_LIKE = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([^\s:]+)$/;

/** @returns null for a local folder, or anything that is no address of a repository */
export function remoteAddress(url: string): RemoteAddress | null {
  if (/^(https?|ssh):\/\//.test(url) && URL.canParse(url)) {
    const { protocol, hostname, host, pathname } = new URL(url);
    const isSsh = protocol === 'ssh:';
    return address(isSsh ? hostname : host, isSsh, decoded(pathname));
  }
  const [, host, path] = SCP_LIKE.exec(url) ?? [];
  return host === undefined || path === undefined ? null : address(host, true, path);
}

/** Where the page of a pull request is: `…/pull/7`, `…/-/merge_requests/7` or `…/pulls/7`. */
export function pullRequestAddress(url: string): { host: string; repository: string; number: number } | null {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return null;
  const { host, pathname } = new URL(url);
  const [, repository, number] = /^\/(.+?)\/(?:pull|pulls|-\/merge_requests)\/(\d{1,9})(?:\/.*)?$/.exec(pathname) ?? [];
  if (repository === undefined || number === undefined) return null;
  return { host: host.toLowerCase(), repository: decoded(repository), number: Number(number) };
}

/** Its path in the APIs of GitHub and Gitea. */
export const reposPath = (repository: string): string =>
  `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;

function address(host: string, isSsh: boolean, path: string): RemoteAddress | null {
  const name = host.toLowerCase();
  const repository = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (!/^[^/]+(\/[^/]+)+$/.test(repository)) return null;
  return { host: SSH_HOSTS[name] ?? name, isSsh, repository };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray per cent sign is kept; the forge decides whether such a repository exists
  }
}
