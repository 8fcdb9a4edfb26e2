import type { Environment } from './config/environment.js';
import type { Limits, Sandbox } from './platform/sandbox/sandbox.js';

type Walls = Pick<Sandbox, 'isolation' | 'reason' | 'limits'>;

/** Printed when the server is ready: where people and agents find it by its role, and how to connect agents. */
export function greeting(url: string, environment: Environment, sandbox: Walls): string {
  const mcp = `${environment.PUBLIC_URL || url}/mcp`;
  const serves =
    environment.ROLE === 'runner'
      ? [`Probes   ${url}/health/ready`, `Metrics  ${url}/metrics`]
      : [...pageOf(url, environment), `MCP      ${mcp}`, `Swagger  ${url}/api/docs`];
  const runs = environment.ROLE === 'api' ? [] : [`Runs     ${wallsOf(sandbox)}; ${limitsOf(sandbox.limits)}`];
  const clients = environment.ROLE === 'runner' ? [] : ['', ...clientsOf(mcp, environment)];
  return ['', 'Taskyard is ready.', ...[...serves, ...runs, ...clients].map(indented), ''].join('\n');
}

const pageOf = (url: string, { PAGES, PUBLIC_URL, BASE_PATH }: Environment): string[] =>
  PAGES === 'on' ? [`Page     ${PUBLIC_URL ? PUBLIC_URL + BASE_PATH : url}/ui`] : [];

/** How each agent is told of the server. */
function clientsOf(mcp: string, { TASKFLOW_SERVICE_TOKEN }: Environment): string[] {
  const needsToken = TASKFLOW_SERVICE_TOKEN !== '';
  const header = needsToken ? ' --header "Authorization: Bearer $TASKFLOW_SERVICE_TOKEN"' : '';
  const headers = needsToken ? { headers: { Authorization: 'Bearer $TASKFLOW_SERVICE_TOKEN' } } : {};
  return [
    'Claude Code',
    `  claude mcp add --transport http taskyard ${mcp}${header}`,
    'Codex (~/.codex/config.toml)',
    '  [mcp_servers.taskyard]',
    `  url = "${mcp}"`,
    ...(needsToken ? ['  bearer_token_env_var = "TASKFLOW_SERVICE_TOKEN"'] : []),
    'Gemini CLI (~/.gemini/settings.json)',
    `  ${JSON.stringify({ mcpServers: { taskyard: { httpUrl: mcp, ...headers } } })}`,
  ];
}

const indented = (line: string): string => (line === '' ? '' : `  ${line}`);

const wallsOf = ({ isolation, reason }: Walls): string =>
  isolation === 'none' ? `not isolated: ${reason}` : `isolated by ${isolation}`;

const limitsOf = ({ memory, processes, reason }: Limits): string =>
  `memory limited by ${memory}, processes by ${processes}${reason === null ? '' : ` (${reason})`}`;
