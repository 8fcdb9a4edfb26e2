import { AgentDriver } from '../agent/agent-driver.js';
import {
  type Availability,
  type Drive,
  type ExecutorAdapter,
  type ExecutorInfo,
  namedVariants,
  type SessionFile,
  type Turn,
  variantSettings,
} from '../executor.js';
import type { ProgramFinder } from '../find-program.js';
import type { AcpProfile } from './acp-profiles.js';
import { AcpConversation } from './acp.conversation.js';

/** Every agent of the Agent Client Protocol: one row of a table is one executor. */
export class AcpAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo;
  readonly modelHosts: readonly string[];

  constructor(
    private readonly profile: AcpProfile,
    private readonly programs: ProgramFinder,
  ) {
    const { executor, supports_mcp, variants, model_hosts } = profile;
    this.modelHosts = model_hosts;
    const named = namedVariants(variants);
    this.info = { executor, default_variant: 'DEFAULT', supports_mcp, variants: named, takes: 'prompt' };
  }

  availability(): Promise<Availability> {
    const { version } = this.profile;
    return Promise.resolve(
      version === undefined ? this.programs.availability(this.profile) : { is_available: true, reason: null, version },
    );
  }

  drive(turn: Turn): Drive {
    const { executor, program, args, env, state, variants } = this.profile;
    const variant = variantSettings(executor, variants, turn.variant);
    const all = [...args, ...(variant.args ?? [])];
    return {
      command: {
        program: this.programs.find(this.profile) ?? program,
        args: all,
        env: { ...env, ...variant.env },
        state,
        installed: all,
      },
      driver: new AgentDriver(new AcpConversation(turn, this.profile, variant), turn.cwd),
    };
  }

  sessionFile(agent_session_id: string, cwd: string): SessionFile | null {
    const { state, session_file, session_moved } = this.profile;
    const [folder] = state.own;
    if (!folder || !session_file) return null;
    const moved = session_moved && { moved: (content: string) => session_moved(content, cwd) };
    return { folder, path: session_file(agent_session_id, cwd), ...moved };
  }
}
