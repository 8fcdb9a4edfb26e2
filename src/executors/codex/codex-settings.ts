import type { PermissionPolicy } from '../agent/agent-input.js';
import { variantSettings } from '../variant-settings.js';

export const CODEX = 'CODEX';

export interface CodexVariant {
  sandbox: 'danger-full-access' | 'workspace-write' | 'read-only';
  approvalPolicy: 'never' | 'untrusted';
  permissions: PermissionPolicy;
  model?: string;
  effort?: 'high' | 'xhigh';
}

/** Without its own sandbox: that one needs user namespaces, and shuts out the git folder of a worktree. */
const unattended = { sandbox: 'danger-full-access', approvalPolicy: 'never', permissions: 'allow' } as const;

export const codexVariants: Readonly<Record<string, CodexVariant>> = {
  DEFAULT: unattended,
  PLAN: { sandbox: 'read-only', approvalPolicy: 'never', permissions: 'refuse' },
  APPROVALS: { sandbox: 'workspace-write', approvalPolicy: 'untrusted', permissions: 'ask' },
  HIGH: { ...unattended, effort: 'high' },
  XHIGH: { ...unattended, effort: 'xhigh' },
  CODEX: { ...unattended, model: 'gpt-5.2-codex' },
  MAX: { ...unattended, model: 'gpt-5.1-codex-max' },
};

/** @throws AppError variant_unknown */
export const codexVariant = (name: string | null): CodexVariant => variantSettings(CODEX, codexVariants, name);
