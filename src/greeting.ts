import type { Environment } from './config/environment.js';
import { effectiveNetwork } from './egress/run-network.js';
import { localTokenFile, needsLocalToken } from './tokens/local-token.js';
import type { Limits, Sandbox } from './platform/sandbox/sandbox.js';

type Walls = Pick<Sandbox, 'isolation' | 'reason' | 'limits'>;

/** Printed when the server is ready: where people and agents find it by its role, and how to connect agents.
 *  @param linkInto makes a link that signs in at a page, once */
export function greeting(
  url: string,
  environment: Environment,
  sandbox: Walls,
  linkInto: (page: string) => string,
): string {
  const mcp = `${environment.PUBLIC_URL || url}/mcp`;
  const serves =
    environment.ROLE === 'runner'
      ? [`Probes   ${url}/health/ready`, `Metrics  ${url}/metrics`]
      : [...pageOf(url, environment, sandbox, linkInto), `MCP      ${mcp}`, `Swagger  ${url}/api/docs`];
  const runs = environment.ROLE === 'api' ? [] : [`Runs     ${runsOf(environment, sandbox)}`];
  const clients = environment.ROLE === 'runner' ? [] : ['', ...clientsOf(mcp, environment, sandbox)];
  return ['', 'Taskyard is ready.', ...[...serves, ...runs, ...clients].map(indented), ''].join('\n');
}

function pageOf(url: string, environment: Environment, sandbox: Walls, linkInto: (page: string) => string): string[] {
  const { PAGES, PUBLIC_URL, BASE_PATH } = environment;
  if (PAGES === 'off') return [];
  const page = `${PUBLIC_URL ? PUBLIC_URL + BASE_PATH : url}/ui`;
  const link = needsLocalToken(environment, sandbox) ? [`Sign in  ${linkInto(page)} (once, within 10 minutes)`] : [];
  return [`Page     ${page}`, ...link];
}

/** How each agent is told of the server. */
function clientsOf(mcp: string, environment: Environment, sandbox: Walls): string[] {
  const token = tokenOf(environment, sandbox);
  const header = token ? ` --header "Authorization: Bearer ${token.here}"` : '';
  const headers = token ? { headers: { Authorization: `Bearer $${token.variable}` } } : {};
  return [
    ...(token?.exported ?? []),
    'Claude Code',
    `  claude mcp add --transport http taskyard ${mcp}${header}`,
    'Codex (~/.codex/config.toml)',
    '  [mcp_servers.taskyard]',
    `  url = "${mcp}"`,
    ...(token ? [`  bearer_token_env_var = "${token.variable}"`] : []),
    'Gemini CLI (~/.gemini/settings.json)',
    `  ${JSON.stringify({ mcpServers: { taskyard: { httpUrl: mcp, ...headers } } })}`,
  ];
}

/** What clients send: in a shell of this machine, and by the variable that their settings name; null for nothing. */
function tokenOf(
  environment: Environment,
  sandbox: Walls,
): { here: string; variable: string; exported: string[] } | null {
  if (environment.TASKFLOW_SERVICE_TOKEN)
    return { here: '$TASKFLOW_SERVICE_TOKEN', variable: 'TASKFLOW_SERVICE_TOKEN', exported: [] };
  if (!needsLocalToken(environment, sandbox)) return null;
  const here = `$(cat '${localTokenFile(environment)}')`;
  const exported = ['Your shell, for agents that read the token from a variable', `  export TASKYARD_TOKEN="${here}"`];
  return { here, variable: 'TASKYARD_TOKEN', exported };
}

const indented = (line: string): string => (line === '' ? '' : `  ${line}`);

const wallsOf = ({ isolation, reason }: Walls): string =>
  isolation === 'none'
    ? `not isolated: ${reason}`
    : `isolated by ${isolation}${reason === null ? '' : `, but none can start: ${reason}`}`;

const runsOf = (environment: Environment, sandbox: Walls): string =>
  [wallsOf(sandbox), networkOf(environment, sandbox), limitsOf(sandbox.limits)].join('; ');

function networkOf(environment: Environment, sandbox: Walls): string {
  const { network, reason } = effectiveNetwork('open', environment, sandbox);
  return `network at most ${network}${reason === null ? '' : ` (${reason})`}`;
}

const limitsOf = ({ memory, processes, reason }: Limits): string =>
  `memory limited by ${memory}, processes by ${processes}${reason === null ? '' : ` (${reason})`}`;
