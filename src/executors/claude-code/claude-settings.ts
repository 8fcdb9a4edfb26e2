import type { PermissionPolicy } from '../agent/agent-input.js';
import { variantSettings } from '../variant-settings.js';

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
