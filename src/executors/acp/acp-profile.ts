import type { PermissionPolicy } from '../agent/permission-policy.js';

export interface AcpVariant {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Mode of the session to set before the prompt, by its id. */
  mode?: string;
  /** `allow` unless told otherwise. */
  permissions?: PermissionPolicy;
}

export type ResumeMethod = 'resume' | 'load';

/** One agent of the Agent Client Protocol: everything that differs between them. */
export interface AcpProfile {
  executor: string;
  /** Name on the PATH, or an absolute path. */
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** DEFAULT is one of them. */
  variants: Readonly<Record<string, AcpVariant>>;
  default_variant: string;
  supports_mcp: boolean;
  /** Ways to go on with a session, best first; what the agent does not offer is left out. */
  resume: readonly ResumeMethod[];
  /** The name under which to load a session, where loading it by its own id does harm. */
  load_name?: (id: string) => string;
  /** The replay of a loaded session goes on after the answer to the load; the answer to one more request ends it. */
  replays_late?: boolean;
  /** Milliseconds that it still writes down its session after the answer to a prompt; what is not written when its input ends is lost. */
  writes_on_ms?: number;
  /** Log-ins that need no person, best first: keys in the environment. */
  auth_methods: readonly string[];
  /** How to get it, for people. */
  install: string;
  /** Where the program itself does not tell it. */
  version?: string;
}

/** A variant that is gone falls back to the default. */
export function variantOf(profile: AcpProfile, variant: string | null): AcpVariant {
  return profile.variants[variant ?? profile.default_variant] ?? profile.variants[profile.default_variant] ?? {};
}
