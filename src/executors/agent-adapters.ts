import { AcpAdapter } from './acp/acp.adapter.js';
import type { AcpProfile } from './acp/acp-profile.js';
import { acpProfiles } from './acp/acp-profiles.js';
import { ClaudeCodeAdapter } from './claude-code/claude-code.adapter.js';
import { CodexAdapter } from './codex/codex.adapter.js';
import { DECLARED_IN, type DeclaredExecutor } from './declared/declared-executors.js';
import { PlainAdapter } from './declared/plain.adapter.js';
import type { ExecutorAdapter } from './executor.js';
import type { ProgramFinder } from './find-program.js';

/** Every coding agent this server knows: the built-in ones, the demo, and those somebody declared. */
export function agentAdapters(
  programs: ProgramFinder,
  demo: AcpProfile,
  declared: readonly DeclaredExecutor[],
): ExecutorAdapter[] {
  const profiles = [...acpProfiles, demo].map((profile) => new AcpAdapter(profile, programs));
  const own = declared.map((one) =>
    one.protocol === 'acp' ? new AcpAdapter(declaredProfile(one), programs) : new PlainAdapter(one, programs),
  );
  return [new ClaudeCodeAdapter(programs), new CodexAdapter(programs), ...profiles, ...own];
}

/** A declared agent of the Agent Client Protocol, as a row of the table of those that are built in. */
function declaredProfile({ id, command, args, env, variants, resume, mcp, state }: DeclaredExecutor): AcpProfile {
  return {
    executor: id,
    program: command,
    args,
    env,
    state,
    variants,
    supports_mcp: mcp,
    resume: resume ? ['resume', 'load'] : [],
    auth_methods: [],
    install: DECLARED_IN,
  };
}
