import { AgentDriver } from '../agent/agent-driver.js';
import type { Availability, Drive, ExecutorAdapter, ExecutorInfo, Turn } from '../executor.js';
import type { ProgramFinder, Wanted } from '../find-program.js';
import { namedVariants } from '../variant-settings.js';
import { ClaudeCodeConversation } from './claude-code.conversation.js';
import { claudeArgs, claudeEnvironment } from './claude-command.js';
import { CLAUDE_CODE, claudeVariant, claudeVariants } from './claude-settings.js';

const wanted: Wanted = {
  executor: CLAUDE_CODE,
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
};

/** Claude Code by its own stream of JSON lines and its control protocol. */
export class ClaudeCodeAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: wanted.executor,
    default_variant: 'DEFAULT',
    supports_mcp: true,
    variants: namedVariants(claudeVariants),
  };

  constructor(private readonly programs: ProgramFinder) {}

  availability(): Promise<Availability> {
    return Promise.resolve(this.programs.availability(wanted));
  }

  drive(turn: Turn): Drive {
    const variant = claudeVariant(turn.variant);
    return {
      command: {
        program: this.programs.find(wanted) ?? wanted.program,
        args: claudeArgs(turn, variant),
        env: claudeEnvironment(turn),
        state: ['.claude/'], // it does without writing .claude.json, which it would replace whole
      },
      driver: new AgentDriver(new ClaudeCodeConversation(turn, variant), turn.cwd),
    };
  }
}
