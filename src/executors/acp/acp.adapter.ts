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
import type { ProgramFinder } from '../find-program.js';
import { variantOf, type AcpProfile } from './acp-profile.js';
import { AcpReader } from './acp-reader.js';
import { AcpConversation } from './acp.conversation.js';

/** Every agent of the Agent Client Protocol: one row of a table is one executor. */
export class AcpAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo;

  constructor(
    private readonly profile: AcpProfile,
    private readonly programs: ProgramFinder,
  ) {
    const { executor, default_variant, supports_mcp, variants } = profile;
    this.info = {
      executor,
      default_variant,
      supports_mcp,
      variants: Object.keys(variants).filter((name) => name !== 'DEFAULT'),
    };
  }

  availability(): Promise<Availability> {
    const { version } = this.profile;
    return Promise.resolve(
      version === undefined ? this.programs.availability(this.profile) : { is_available: true, reason: null, version },
    );
  }

  command(turn: Turn): CommandLine {
    const { program, args, env } = this.profile;
    const variant = variantOf(this.profile, turn.variant);
    return {
      program: this.programs.find(this.profile) ?? program,
      args: [...args, ...(variant.args ?? [])],
      env: { ...env, ...variant.env },
    };
  }

  normalizer(turn: Turn): Normalizer {
    return new AgentNormalizer(new AcpReader(turn, this.profile), turn.cwd);
  }

  converse(turn: Turn): Conversation {
    return new AcpConversation(turn, this.profile);
  }
}
