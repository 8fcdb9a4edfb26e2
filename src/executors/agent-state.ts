/** What an agent keeps below the home folder, and what of it an attempt gets behind walls. Names are below the home
 *  folder or absolute; folders end in `/`. */
export interface AgentState {
  /** Folders of which each attempt has its own, empty at first. Conversations lie in the first. */
  own: readonly string[];
  /** Log-in and settings: files of these folders that are copied in before each turn. */
  copied?: readonly string[];
  /** Files and folders that are bound read-only: what a person has taught the agent. */
  bound?: readonly string[];
  /** What goes back of a copied file once the run has renewed its log-in: keys with dots, `*` for any. */
  back?: Readonly<Record<string, readonly string[]>>;
  /** Folders that all runs write, by the word of the operator. */
  shared?: readonly string[];
}

/** `docs/operate.md` holds the same table. */
export const agentStates = {
  CLAUDE_CODE: {
    own: ['.claude/'],
    copied: ['.claude/.credentials.json', '.claude/settings.json', '.claude/CLAUDE.md'],
    // works without writing .claude.json, which it would replace as a whole
    bound: ['.claude.json', ...below('.claude/', 'agents', 'commands', 'hooks', 'output-styles', 'plugins', 'skills')],
    back: { '.claude/.credentials.json': keysOf('claudeAiOauth', 'accessToken', 'refreshToken', 'expiresAt') },
  },
  CODEX: {
    own: ['.codex/'],
    copied: ['.codex/auth.json', '.codex/config.toml', '.codex/AGENTS.md'],
    bound: below('.codex/', 'prompts', 'rules'),
    back: {
      '.codex/auth.json': [...keysOf('tokens', 'id_token', 'access_token', 'refresh_token'), 'last_refresh'],
    },
  },
  GEMINI: {
    own: ['.gemini/'],
    copied: ['oauth_creds.json', 'google_accounts.json', 'settings.json', '.env', 'GEMINI.md'].map(
      (file) => `.gemini/${file}`,
    ),
    bound: below('.gemini/', 'commands', 'extensions', 'policies', 'skills'),
    back: { '.gemini/oauth_creds.json': ['access_token', 'refresh_token', 'id_token', 'expiry_date'] },
  },
  OPENCODE: {
    own: ['.local/share/opencode/', '.local/state/opencode/', '.config/opencode/'],
    copied: [
      '.local/share/opencode/auth.json',
      ...['opencode.json', 'opencode.jsonc', 'AGENTS.md'].map((file) => `.config/opencode/${file}`),
    ],
    bound: below('.config/opencode/', 'agents', 'commands', 'plugins', 'skills', 'tools'),
    back: { '.local/share/opencode/auth.json': keysOf('*', 'access', 'refresh', 'expires') },
  },
  COPILOT: {
    own: ['.copilot/'],
    copied: ['config.json', 'settings.json', 'mcp-config.json', 'copilot-instructions.md'].map(
      (file) => `.copilot/${file}`,
    ),
    bound: below('.copilot/', 'agents', 'skills'),
  },
  QWEN_CODE: {
    own: ['.qwen/'],
    copied: ['oauth_creds.json', 'settings.json', '.env', 'QWEN.md'].map((file) => `.qwen/${file}`),
    bound: below('.qwen/', 'agents', 'commands', 'extensions', 'skills'),
    back: { '.qwen/oauth_creds.json': ['access_token', 'refresh_token', 'expiry_date'] },
  },
} satisfies Record<string, AgentState>;

function below(folder: string, ...names: string[]): string[] {
  return names.map((name) => `${folder}${name}/`);
}

function keysOf(parent: string, ...names: string[]): string[] {
  return names.map((name) => `${parent}.${name}`);
}
