import type { AcpProfile } from './acp-profile.js';

const approvals = { permissions: 'ask' } as const;
const COPILOT_PLAN = 'https://agentclientprotocol.com/protocol/session-modes#plan';

/** Lines of which each names the folder that the conversation is in, so that it is one of another folder. */
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
    state: ['.gemini/'],
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
    install: 'npm install -g @google/gemini-cli',
    // To load a session, it first starts a recording named by the id and the minute: in the minute of its own start a
    // session would overwrite itself. Only the search trims the id.
    load_name: (id) => ` ${id}`,
    replays_late: true,
  },
  {
    executor: 'OPENCODE',
    program: 'opencode',
    args: ['acp'],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    state: ['.local/share/opencode/', '.local/state/opencode/', '.config/opencode/'],
    variants: {
      DEFAULT: {},
      PLAN: { mode: 'plan', permissions: 'refuse' },
      // It asks for nothing by itself.
      APPROVALS: { permissions: 'ask', env: { OPENCODE_PERMISSION: JSON.stringify({ bash: 'ask', edit: 'ask' }) } },
    },
    supports_mcp: true,
    resume: ['resume', 'load'],
    auth_methods: [],
    install: 'npm install -g opencode-ai',
  },
  {
    executor: 'COPILOT',
    program: 'copilot',
    args: ['--acp', '--no-auto-update', '--no-color'],
    env: {},
    state: ['.copilot/'],
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
    install: 'npm install -g @github/copilot',
  },
  {
    executor: 'QWEN_CODE',
    program: 'qwen',
    args: ['--acp'],
    env: {},
    state: ['.qwen/'],
    variants: { DEFAULT: {}, PLAN: { mode: 'plan', permissions: 'refuse' }, APPROVALS: approvals },
    supports_mcp: true,
    resume: ['resume', 'load'],
    // It loads no conversation that began in another folder.
    session_file: (id, cwd) => `projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/chats/${id}.jsonl`,
    session_moved: inFolder,
    auth_methods: ['openai'],
    install: 'npm install -g @qwen-code/qwen-code',
    writes_on_ms: 500,
  },
];
