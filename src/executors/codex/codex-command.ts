import type { Turn } from '../executor.js';

const MCP_HEADER = 'TASKYARD_MCP_HEADER';

/** Settings of one start, in TOML; the user's own configuration stays as it is. Header values come from the environment. */
export function codexArgs({ mcp }: Turn): string[] {
  if (!mcp) return ['app-server'];
  const headers = Object.keys(mcp.headers).map(
    (header, index) => `${JSON.stringify(header)}=${JSON.stringify(`${MCP_HEADER}_${index}`)}`,
  );
  const at = `mcp_servers.${mcp.name}`;
  return [
    'app-server',
    '-c',
    `${at}.url=${JSON.stringify(mcp.url)}`,
    ...(headers.length > 0 ? ['-c', `${at}.env_http_headers={${headers.join(',')}}`] : []),
  ];
}

export function codexEnvironment({ mcp }: Turn): Record<string, string> {
  return Object.fromEntries(Object.values(mcp?.headers ?? {}).map((value, index) => [`${MCP_HEADER}_${index}`, value]));
}
