import type { PermissionPolicy } from '../agent/permission-policy.js';

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

/** A variant that is gone falls back to the default. */
export const claudeVariant = (name: string | null): ClaudeVariant => claudeVariants[name ?? 'DEFAULT'] ?? unattended;
