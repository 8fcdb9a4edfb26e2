import { hostRuleText } from '../platform/network/host-rule.js';
import { RELAY_ORIGIN } from '../platform/sandbox/relay.js';
import type { McpEndpoint } from '../executors/executor.js';
import type { RunReach } from '../network/run-networks.service.js';

/** The network of one process, as it is planned. */
export interface PlannedNetwork {
  reach: RunReach;
  /** The agent whose model counts; null for a script. */
  executor: string | null;
  /** This server's own endpoint for the agent, as it is outside the walls. */
  endpoint: McpEndpoint | null;
}

const LOCAL = 'localhost,127.0.0.1,::1';
const JAVA_LOCAL = 'localhost|127.*|[::1]';

/** Variables by which programs find their way out, and what they are told about it. */
export function networkVariables({ reach: { network, rules } }: PlannedNetwork): Record<string, string> {
  const told = { TASKYARD_NETWORK: network };
  if (network === 'host') return told;
  const { hostname, port } = new URL(RELAY_ORIGIN);
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'WSS_PROXY'];
  const java = ['http', 'https'].map((scheme) => `-D${scheme}.proxyHost=${hostname} -D${scheme}.proxyPort=${port}`);
  return {
    ...told,
    ...(network === 'listed' ? { TASKYARD_ALLOWED_HOSTS: rules.map(hostRuleText).join(',') } : {}),
    ...inBothCases(Object.fromEntries(proxies.map((name) => [name, RELAY_ORIGIN]))),
    ...inBothCases({ NO_PROXY: LOCAL }),
    NODE_USE_ENV_PROXY: '1',
    JAVA_TOOL_OPTIONS: [...java, `-Dhttp.nonProxyHosts=${JAVA_LOCAL}`].join(' '),
  };
}

const inBothCases = (variables: Record<string, string>): Record<string, string> => ({
  ...variables,
  ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value])),
});

/** The same endpoint as it is inside the walls. */
export function endpointInside({ endpoint, reach }: PlannedNetwork): McpEndpoint | null {
  if (endpoint === null || reach.network === 'host') return endpoint;
  const { pathname, search } = new URL(endpoint.url);
  return { ...endpoint, url: `${RELAY_ORIGIN}${pathname}${search}` };
}

/** What an agent is told before its first prompt, so that it does not learn by one refusal after another. */
export function networkPreamble({ reach: { network, rules }, endpoint }: PlannedNetwork): string | null {
  if (network === 'none') return 'This environment has no network; do not try to reach any host.';
  if (network !== 'listed') return null;
  const hosts = rules.map(hostRuleText).join(', ') || 'none';
  const ask = endpoint === null ? '' : ' If you need another one, ask for it with the tool request_host.';
  return `This environment reaches only these hosts, by the proxy in HTTPS_PROXY: ${hosts}.${ask}`;
}
