import type { Environment } from './config/environment.js';

/** What a person sees when the server is ready: where it is, and how agents reach it. */
export function greeting(url: string, { TASKFLOW_SERVICE_TOKEN }: Environment): string {
  const mcp = `${url}/mcp`;
  const needsToken = TASKFLOW_SERVICE_TOKEN !== '';
  const claude = `claude mcp add --transport http taskyard ${mcp}${needsToken ? ' --header "Authorization: Bearer $TASKFLOW_SERVICE_TOKEN"' : ''}`;
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

  Claude Code
    ${claude}
  Codex (~/.codex/config.toml)
    ${codex}
  Gemini CLI (~/.gemini/settings.json)
    ${gemini}
`;
}
