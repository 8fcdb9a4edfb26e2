import { randomUUID } from 'node:crypto';
import type { PermissionPolicy } from '../agent/agent-input.js';
import { headerEnvironment, headerVariable } from '../agent/mcp-header-variables.js';
import { type McpEndpoint, type Turn, variantSettings } from '../executor.js';

export const CLAUDE_CODE = 'CLAUDE_CODE';

export interface ClaudeVariant {
  mode: 'bypassPermissions' | 'plan' | 'default';
  permissions: PermissionPolicy;
  model?: string;
}

const unattended = { mode: 'bypassPermissions', permissions: 'allow' } as const;

export const claudeVariants: Readonly<Record<string, ClaudeVariant>> = {
  DEFAULT: unattended,
  PLAN: { mode: 'plan', permissions: 'refuse' },
  APPROVALS: { mode: 'default', permissions: 'ask' },
  OPUS: { ...unattended, model: 'opus' },
  SONNET: { ...unattended, model: 'sonnet' },
};

/** @throws AppError variant_unknown */
export const claudeVariant = (name: string | null): ClaudeVariant => variantSettings(CLAUDE_CODE, claudeVariants, name);

/** Both ways JSON lines; permissions are asked over the same pipe. */
export function claudeArgs(turn: Turn, { mode, model }: ClaudeVariant): string[] {
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
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    ...(isRoot() && { IS_SANDBOX: '1' }),
    ...headerEnvironment(mcp),
  };
}

function mcpConfig({ name, url, headers }: McpEndpoint): string {
  const references = Object.fromEntries(
    Object.keys(headers).map((header, index) => [header, `\${${headerVariable(index)}}`]),
  );
  return JSON.stringify({ mcpServers: { [name]: { type: 'http', url, headers: references } } });
}

/** Root may skip permissions only where it says that it is in a sandbox. */
const isRoot = (): boolean => process.getuid?.() === 0;
