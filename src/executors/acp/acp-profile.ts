import type { PermissionPolicy } from '../agent/agent-input.js';

export interface AcpVariant {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Mode of the session to set before the prompt, by its id. */
  mode?: string;
  /** `allow` where it is left out. */
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
  /** Below the home folder, where it keeps log-in and conversations; folders end in `/`. */
  state: readonly string[];
  /** DEFAULT is one of them. */
  variants: Readonly<Record<string, AcpVariant>>;
  supports_mcp: boolean;
  /** Ways to resume a session, best first; what the agent does not offer is skipped. */
  resume: readonly ResumeMethod[];
  /** The name under which to load a session, where loading it by its own id does harm. */
  load_name?: (id: string) => string;
  /** The replay of a loaded session goes on after the answer to the load; the answer to one more request ends it. */
  replays_late?: boolean;
  /** Milliseconds that it still saves its session after the answer to a prompt: what is unsaved when its input ends is
   *  lost. */
  writes_on_ms?: number;
  /** Where below the first folder of its state it keeps a conversation, where that is one file. */
  session_file?: (id: string, cwd: string) => string;
  /** What such a file says in another working directory, where it depends on that. */
  session_moved?: (content: string, cwd: string) => string;
  /** Log-ins that need no person, best first: keys in the environment. */
  auth_methods: readonly string[];
  /** How to get it, for people. */
  install: string;
  /** Where the program itself does not report it. */
  version?: string;
}
