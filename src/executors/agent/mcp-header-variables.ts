import type { McpEndpoint } from '../executor.js';

/** Header values reach the agent in its environment: arguments can be read by everybody on the machine. */
export const headerVariable = (index: number): string => `TASKYARD_MCP_HEADER_${index}`;

export function headerEnvironment(mcp: McpEndpoint | null | undefined): Record<string, string> {
  const values = Object.values(mcp?.headers ?? {});
  return Object.fromEntries(values.map((value, index): [string, string] => [headerVariable(index), value]));
}
