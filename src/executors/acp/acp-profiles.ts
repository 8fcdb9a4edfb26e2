import { type AgentState, agentStates } from '../agent-state.js';
import type { PermissionPolicy } from '../agent/agent-input.js';

export interface AcpVariant {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Mode of the session to set before the prompt, by its id. */
  mode?: string;
  /** Default: `allow`. */
  permissions?: PermissionPolicy;
}

type ResumeMethod = 'resume' | 'load';

/** One agent of the Agent Client Protocol: everything that differs between them. */
export interface AcpProfile {
  executor: string;
  /** Name on the PATH, or an absolute path. */
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  state: AgentState;
  /** DEFAULT is one of them. */
  variants: Readonly<Record<string, AcpVariant>>;
  supports_mcp: boolean;
  /** Ways to resume a session, best first; what the agent does not offer is skipped. */
  resume: readonly ResumeMethod[];
  /** The name under which to load a session, if loading it by its id does harm. */
  load_name?: (id: string) => string;
  /** The replay of a loaded session continues after the answer to the load, until the answer to one more request. */
  replays_late?: boolean;
  /** Milliseconds it needs to save its session after the answer to a prompt, before its input is closed. */
  writes_on_ms?: number;
  /** File of a conversation below the first folder of its state, if it is a single file. */
  session_file?: (id: string, cwd: string) => string;
  /** Rewrites that file for another working directory, if it depends on that. */
  session_moved?: (content: string, cwd: string) => string;
  /** Log-ins that need no person, best first: keys in the environment. */
  auth_methods: readonly string[];
  /** Host rules of what it needs for its model and its log-in. */
  model_hosts: readonly string[];
  /** How to get it, for people. */
  install: string;
  /** If the program does not report it. */
  version?: string;
}

const approvals = { permissions: 'ask' } as const;
const COPILOT_PLAN = 'https://agentclientprotocol.com/protocol/session-modes#plan';

/** Rewrites the folder that each line names. */
function inFolder(content: string, cwd: string): string {
  const [first = '{}'] = content.split('\n', 1);
  const { cwd: before } = JSON.parse(first) as { cwd?: unknown };
  return content.replaceAll(`"cwd":${JSON.stringify(before)}`, () => `"cwd":${JSON.stringify(cwd)}`);
}

/** The agents that speak the Agent Client Protocol natively. Flags as measured with the versions of their fixtures. */
export const acpProfiles: readonly AcpProfile[] = [
  {
    executor: 'GEMINI',
    program: 'gemini',
    args: ['--acp'],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' },
    state: agentStates.GEMINI,
    variants: {
      DEFAULT: {},
      PLAN: { mode: 'plan', permissions: 'refuse' },
      APPROVALS: approvals,
      FLASH: { args: ['--model', 'gemini-3-flash-preview'] },
      PRO: { args: ['--model', 'gemini-3-pro-preview'] },
    },
    supports_mcp: true,
    resume: ['resume', 'load'],
    auth_methods: ['gemini-api-key'],
    model_hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    install: 'npm install -g @google/gemini-cli',
    // Loading a session starts a recording named by id and minute: within the minute of its start, a session would
    // overwrite itself. Only the search trims the id.
    load_name: (id) => ` ${id}`,
    replays_late: true,
  },
  {
    executor: 'OPENCODE',
    program: 'opencode',
    args: ['acp'],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    state: agentStates.OPENCODE,
    variants: {
      DEFAULT: {},
      PLAN: { mode: 'plan', permissions: 'refuse' },
      // It asks for nothing by itself.
      APPROVALS: { permissions: 'ask', env: { OPENCODE_PERMISSION: JSON.stringify({ bash: 'ask', edit: 'ask' }) } },
    },
    supports_mcp: true,
    resume: ['resume', 'load'],
    auth_methods: [],
    model_hosts: ['opencode.ai', '*.opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
    install: 'npm install -g opencode-ai',
  },
  {
    executor: 'COPILOT',
    program: 'copilot',
    args: ['--acp', '--no-auto-update', '--no-color'],
    env: {},
    state: agentStates.COPILOT,
    variants: {
      DEFAULT: {},
      PLAN: { mode: COPILOT_PLAN, permissions: 'refuse' },
      APPROVALS: approvals,
      GPT_5: { args: ['--model', 'gpt-5'] },
      CLAUDE_SONNET_4_5: { args: ['--model', 'claude-sonnet-4.5'] },
    },
    supports_mcp: true,
    resume: ['resume', 'load'],
    session_file: (id) => `session-state/${id}/events.jsonl`,
    auth_methods: [],
    model_hosts: ['api.githubcopilot.com', '*.githubcopilot.com', 'api.github.com'],
    install: 'npm install -g @github/copilot',
  },
  {
    executor: 'QWEN_CODE',
    program: 'qwen',
    args: ['--acp'],
    env: {},
    state: agentStates.QWEN_CODE,
    variants: { DEFAULT: {}, PLAN: { mode: 'plan', permissions: 'refuse' }, APPROVALS: approvals },
    supports_mcp: true,
    resume: ['resume', 'load'],
    // It does not load conversations of other folders.
    session_file: (id, cwd) => `projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/chats/${id}.jsonl`,
    session_moved: inFolder,
    auth_methods: ['openai'],
    model_hosts: ['portal.qwen.ai', 'chat.qwen.ai', 'dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com'],
    install: 'npm install -g @qwen-code/qwen-code',
    writes_on_ms: 500,
  },
];
