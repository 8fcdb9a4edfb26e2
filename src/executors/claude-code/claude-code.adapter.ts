import { agentStates } from '../agent-state.js';
import { AgentDriver } from '../agent/agent-driver.js';
import {
  type Availability,
  type Drive,
  type ExecutorAdapter,
  type ExecutorInfo,
  namedVariants,
  type SessionFile,
  type Turn,
} from '../executor.js';
import type { ProgramFinder, Wanted } from '../find-program.js';
import { ClaudeCodeConversation } from './claude-code.conversation.js';
import { CLAUDE_CODE, claudeArgs, claudeEnvironment, claudeVariant, claudeVariants } from './claude-command.js';

const wanted: Wanted = {
  executor: CLAUDE_CODE,
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
};

const STATE = agentStates.CLAUDE_CODE;

/** Claude Code by its own stream of JSON lines and its control protocol. */
export class ClaudeCodeAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: wanted.executor,
    default_variant: 'DEFAULT',
    supports_mcp: true,
    takes: 'prompt',
    variants: namedVariants(claudeVariants),
  };

  readonly modelHosts = ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'];

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
        state: STATE,
      },
      driver: new AgentDriver(new ClaudeCodeConversation(turn, variant), turn.cwd),
    };
  }

  /** By the folder that it works in. */
  sessionFile(agent_session_id: string, cwd: string): SessionFile {
    return { folder: STATE.own[0]!, path: `projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/${agent_session_id}.jsonl` };
  }
}
