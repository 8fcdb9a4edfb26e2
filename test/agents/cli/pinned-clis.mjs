/** The agents of the tests, each at the version it was last seen to work with. `scripts`: the package puts its
 *  program in place when it is installed. */
export const pinnedClis = [
  {
    executor: 'CLAUDE_CODE',
    package: '@anthropic-ai/claude-code',
    version: '2.1.197',
    program: 'claude',
    scripts: true,
  },
  { executor: 'CODEX', package: '@openai/codex', version: '0.169.0', program: 'codex', scripts: false },
  { executor: 'GEMINI', package: '@google/gemini-cli', version: '0.61.0', program: 'gemini', scripts: false },
  { executor: 'OPENCODE', package: 'opencode-ai', version: '1.18.33', program: 'opencode', scripts: true },
  { executor: 'COPILOT', package: '@github/copilot', version: '1.0.102', program: 'copilot', scripts: false },
  { executor: 'QWEN_CODE', package: '@qwen-code/qwen-code', version: '0.15.10', program: 'qwen', scripts: false },
];
