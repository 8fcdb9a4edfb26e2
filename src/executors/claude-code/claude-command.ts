import { randomUUID } from 'node:crypto';
import type { McpEndpoint, Turn } from '../executor.js';
import { claudeVariant } from './claude-settings.js';

const MCP_HEADER = 'TASKYARD_MCP_HEADER';

/** Both ways JSON lines; permissions are asked over the same pipe. */
export function claudeArgs(turn: Turn): string[] {
  const { mode, model } = claudeVariant(turn.variant);
  const session = turn.agent_session_id === null ? ['--session-id', randomUUID()] : ['--resume', turn.agent_session_id];
  return [
    '-p',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
    '--permission-prompt-tool',
    'stdio',
    '--permission-mode',
    mode,
    '--disallowedTools',
    'AskUserQuestion',
    ...session,
    ...(model === undefined ? [] : ['--model', model]),
    ...(turn.mcp ? ['--mcp-config', mcpConfig(turn.mcp)] : []),
  ];
}

export function claudeEnvironment({ mcp }: Turn): Record<string, string> {
  const secrets = Object.values(mcp?.headers ?? {}).map((value, index) => [`${MCP_HEADER}_${index}`, value]);
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    ...(isRoot() && { IS_SANDBOX: '1' }),
    ...Object.fromEntries(secrets),
  };
}

/** Header values stay out of the arguments, which everybody on the machine can read. */
function mcpConfig({ name, url, headers }: McpEndpoint): string {
  const references = Object.fromEntries(
    Object.keys(headers).map((header, index) => [header, `\${${MCP_HEADER}_${index}}`]),
  );
  return JSON.stringify({ mcpServers: { [name]: { type: 'http', url, headers: references } } });
}

/** Root may skip permissions only where it says that it is in a sandbox. */
const isRoot = (): boolean => process.getuid?.() === 0;
