import { headerVariable } from '../agent/mcp-header-variables.js';
import type { Turn } from '../executor.js';

/** Settings of one start, in TOML; the user's own configuration stays as it is. */
export function codexArgs({ mcp }: Turn): string[] {
  if (!mcp) return ['app-server'];
  const headers = Object.keys(mcp.headers).map(
    (header, index) => `${JSON.stringify(header)}=${JSON.stringify(headerVariable(index))}`,
  );
  const at = `mcp_servers.${mcp.name}`;
  return [
    'app-server',
    '-c',
    `${at}.url=${JSON.stringify(mcp.url)}`,
    ...(headers.length > 0 ? ['-c', `${at}.env_http_headers={${headers.join(',')}}`] : []),
  ];
}
