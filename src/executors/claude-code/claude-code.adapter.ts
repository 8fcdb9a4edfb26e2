import { AgentNormalizer } from '../agent/agent-normalizer.js';
import type {
  Availability,
  CommandLine,
  Conversation,
  ExecutorAdapter,
  ExecutorInfo,
  Normalizer,
  Turn,
} from '../executor.js';
import type { ProgramFinder, Wanted } from '../find-program.js';
import { claudeArgs, claudeEnvironment } from './claude-command.js';
import { ClaudeReader } from './claude-reader.js';
import { claudeVariants } from './claude-settings.js';
import { ClaudeCodeConversation } from './claude-code.conversation.js';

const wanted: Wanted = {
  executor: 'CLAUDE_CODE',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
};

/** Claude Code by its own stream of JSON lines and its control protocol. */
export class ClaudeCodeAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: wanted.executor,
    default_variant: 'DEFAULT',
    supports_mcp: true,
    variants: Object.keys(claudeVariants).filter((name) => name !== 'DEFAULT'),
  };

  constructor(private readonly programs: ProgramFinder) {}

  availability(): Promise<Availability> {
    return Promise.resolve(this.programs.availability(wanted));
  }

  command(turn: Turn): CommandLine {
    return {
      program: this.programs.find(wanted) ?? wanted.program,
      args: claudeArgs(turn),
      env: claudeEnvironment(turn),
    };
  }

  normalizer(turn: Turn): Normalizer {
    return new AgentNormalizer(new ClaudeReader(), turn.cwd);
  }

  converse(turn: Turn): Conversation {
    return new ClaudeCodeConversation(turn);
  }
}
