import path from 'node:path';

/** The same text for every way to reach a repository: by ssh or https, with a user or without. */
export function comparableRemote(url: string): string {
  const [, scpHost, scpPath] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  const isScp = scpHost !== undefined && scpPath !== undefined;
  if (!isScp && !URL.canParse(url)) return path.resolve(url);
  const { hostname, pathname } = isScp ? { hostname: scpHost, pathname: `/${scpPath}` } : new URL(url);
  return `${hostname.toLowerCase()}/${pathname.replace(/^\/+|\/+$|\.git\/*$/g, '')}`;
}
