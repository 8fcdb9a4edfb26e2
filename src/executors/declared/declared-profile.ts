import type { AcpProfile } from '../acp/acp-profile.js';
import type { DeclaredExecutor } from './declared-executors.js';

/** A declared agent of the Agent Client Protocol, as a row of the table of those that are built in. */
export function declaredProfile({ id, command, args, env, variants, resume, mcp }: DeclaredExecutor): AcpProfile {
  return {
    executor: id,
    program: command,
    args,
    env,
    variants: { DEFAULT: {}, ...variants },
    default_variant: 'DEFAULT',
    supports_mcp: mcp,
    resume: resume ? ['resume', 'load'] : [],
    auth_methods: [],
    install: 'see executors.json',
  };
}
