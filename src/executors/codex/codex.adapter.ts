import { AgentDriver } from '../agent/agent-driver.js';
import { headerEnvironment } from '../agent/mcp-header-variables.js';
import type { Availability, Drive, ExecutorAdapter, ExecutorInfo, Turn } from '../executor.js';
import type { ProgramFinder, Wanted } from '../find-program.js';
import { namedVariants } from '../variant-settings.js';
import { codexArgs } from './codex-command.js';
import { CODEX, codexVariant, codexVariants } from './codex-settings.js';
import { CodexConversation } from './codex.conversation.js';

const wanted: Wanted = { executor: CODEX, program: 'codex', install: 'npm install -g @openai/codex' };

/** Codex by its app server. */
export class CodexAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: wanted.executor,
    default_variant: 'DEFAULT',
    supports_mcp: true,
    variants: namedVariants(codexVariants),
  };

  constructor(private readonly programs: ProgramFinder) {}

  availability(): Promise<Availability> {
    return Promise.resolve(this.programs.availability(wanted));
  }

  drive(turn: Turn): Drive {
    const variant = codexVariant(turn.variant);
    return {
      command: {
        program: this.programs.find(wanted) ?? wanted.program,
        args: codexArgs(turn),
        env: headerEnvironment(turn.mcp),
      },
      driver: new AgentDriver(new CodexConversation(turn, variant), turn.cwd),
    };
  }
}
