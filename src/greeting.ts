import type { Environment } from './config/environment.js';
import type { Limits, Sandbox } from './platform/sandbox/sandbox.js';

/** Printed when the server is ready: its addresses, and how to connect agents. */
export function greeting(url: string, { PUBLIC_URL, TASKFLOW_SERVICE_TOKEN }: Environment, sandbox: Sandbox): string {
  const mcp = `${PUBLIC_URL || url}/mcp`;
  const { isolation, reason, limits } = sandbox;
  const walls = isolation === 'none' ? `not isolated: ${reason}` : `isolated by ${isolation}`;
  const needsToken = TASKFLOW_SERVICE_TOKEN !== '';
  const header = needsToken ? ' --header "Authorization: Bearer $TASKFLOW_SERVICE_TOKEN"' : '';
  const claude = `claude mcp add --transport http taskyard ${mcp}${header}`;
  const codex = [
    '[mcp_servers.taskyard]',
    `url = "${mcp}"`,
    ...(needsToken ? ['bearer_token_env_var = "TASKFLOW_SERVICE_TOKEN"'] : []),
  ].join('\n    ');
  const gemini = JSON.stringify({
    mcpServers: {
      taskyard: {
        httpUrl: mcp,
        ...(needsToken ? { headers: { Authorization: 'Bearer $TASKFLOW_SERVICE_TOKEN' } } : {}),
      },
    },
  });
  return `
Taskyard is ready.
  MCP      ${mcp}
  Swagger  ${url}/api/docs
  Runs     ${walls}; ${limitsOf(limits)}

  Claude Code
    ${claude}
  Codex (~/.codex/config.toml)
    ${codex}
  Gemini CLI (~/.gemini/settings.json)
    ${gemini}
`;
}

const limitsOf = ({ memory, processes, reason }: Limits): string =>
  `memory limited by ${memory}, processes by ${processes}${reason === null ? '' : ` (${reason})`}`;
