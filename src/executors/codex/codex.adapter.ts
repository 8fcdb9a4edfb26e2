import { agentStates } from '../agent-state.js';
import { AgentDriver } from '../agent/agent-driver.js';
import { headerEnvironment, headerVariable } from '../agent/mcp-header-variables.js';
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
import { CODEX, codexVariant, codexVariants } from './codex-opening.js';
import { CodexConversation } from './codex.conversation.js';

const wanted: Wanted = { executor: CODEX, program: 'codex', install: 'npm install -g @openai/codex' };

const STATE = agentStates.CODEX;

/** Codex by its app server. */
export class CodexAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: wanted.executor,
    default_variant: 'DEFAULT',
    supports_mcp: true,
    takes: 'prompt',
    variants: namedVariants(codexVariants),
  };

  readonly modelHosts = ['api.openai.com', 'chatgpt.com', 'auth.openai.com'];

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
        state: STATE,
      },
      driver: new AgentDriver(new CodexConversation(turn, variant), turn.cwd),
    };
  }

  /** By the day on which it began. */
  sessionFile(agent_session_id: string): SessionFile {
    return { folder: STATE.own[0]!, path: `sessions/*/*/*/rollout-*-${agent_session_id}.jsonl` };
  }
}

/** Settings of one start, in TOML; the user's own configuration stays as it is. */
function codexArgs({ mcp }: Turn): string[] {
  if (!mcp) return ['app-server'];
  const headers = Object.keys(mcp.headers).map(
    (header, index) => `${JSON.stringify(header)}=${JSON.stringify(headerVariable(index))}`,
  );
  const at = `mcp_servers.${mcp.name}`;
  return [
    'app-server',
    '-c',
    `${at}.url=${JSON.stringify(mcp.url)}`,
    ...(headers.length > 0 ? ['-c', `${at}.env_http_headers={${headers.join(',')}}`] : []),
  ];
}
