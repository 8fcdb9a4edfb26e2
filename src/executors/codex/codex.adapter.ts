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
import { codexArgs, codexEnvironment } from './codex-command.js';
import { CodexReader } from './codex-reader.js';
import { codexVariants } from './codex-settings.js';
import { CodexConversation } from './codex.conversation.js';

const wanted: Wanted = { executor: 'CODEX', program: 'codex', install: 'npm install -g @openai/codex' };

/** Codex by its app server. */
export class CodexAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: wanted.executor,
    default_variant: 'DEFAULT',
    supports_mcp: true,
    variants: Object.keys(codexVariants).filter((name) => name !== 'DEFAULT'),
  };

  constructor(private readonly programs: ProgramFinder) {}

  availability(): Promise<Availability> {
    return Promise.resolve(this.programs.availability(wanted));
  }

  command(turn: Turn): CommandLine {
    return {
      program: this.programs.find(wanted) ?? wanted.program,
      args: codexArgs(turn),
      env: codexEnvironment(turn),
    };
  }

  normalizer(turn: Turn): Normalizer {
    return new AgentNormalizer(new CodexReader(turn), turn.cwd);
  }

  converse(turn: Turn): Conversation {
    return new CodexConversation(turn);
  }
}
