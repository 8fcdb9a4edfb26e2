import type { PermissionPolicy } from '../agent/permission-policy.js';

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

/** A variant that is gone falls back to the default. */
export const codexVariant = (name: string | null): CodexVariant => codexVariants[name ?? 'DEFAULT'] ?? unattended;
