import { type Environment, EnvironmentError } from '../config/environment.js';
import { programVersion } from '../platform/process/program-version.js';
import { AcpAdapter } from './acp/acp.adapter.js';
import { type AcpProfile, acpProfiles } from './acp/acp-profiles.js';
import { ClaudeCodeAdapter } from './claude-code/claude-code.adapter.js';
import { CodexAdapter } from './codex/codex.adapter.js';
import { DECLARED_IN, type DeclaredExecutor, readDeclaredExecutors } from './declared/declared-executors.js';
import { PlainAdapter } from './declared/plain.adapter.js';
import { demoProfile, demoSessionsOf } from './demo/demo-profile.js';
import { canonicalExecutor } from './executor-names.js';
import type { ExecutorAdapter } from './executor.js';
import { ProgramFinder } from './find-program.js';
import { commandRefusal } from './shell/script-command.js';
import type { ShellAdapter } from './shell/shell.adapter.js';

/** The shell, the agents of agent-adapters.ts, and those of EXECUTORS_FILE, as far as EXECUTORS lists them. */
export function allAdapters(shell: ShellAdapter, environment: Environment): ExecutorAdapter[] {
  const { DATA_DIR, EXECUTORS_FILE, EXECUTOR_COMMANDS } = environment;
  const programs = new ProgramFinder(EXECUTOR_COMMANDS, programVersion);
  const demo = demoProfile(demoSessionsOf(DATA_DIR), commandRefusal(environment));
  const builtIn = [shell, ...agentAdapters(programs, demo, [])].map((adapter) => adapter.info.executor);
  const declared = readDeclaredExecutors(EXECUTORS_FILE, builtIn);
  return allowedExecutors([shell, ...agentAdapters(programs, demo, declared)], environment);
}

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

/** The profile of a declared agent of the Agent Client Protocol. */
function declaredProfile({
  id,
  command,
  args,
  env,
  variants,
  resume,
  mcp,
  state,
  model_hosts,
}: DeclaredExecutor): AcpProfile {
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
    model_hosts,
    install: DECLARED_IN,
  };
}

/** Those that EXECUTORS lists; all where it lists none. @throws EnvironmentError that names an unknown one */
export function allowedExecutors(
  adapters: readonly ExecutorAdapter[],
  { EXECUTORS }: Pick<Environment, 'EXECUTORS'>,
): ExecutorAdapter[] {
  if (EXECUTORS.length === 0) return [...adapters];
  const names = EXECUTORS.map(canonicalExecutor);
  const known = adapters.map(({ info }) => info.executor);
  const unknown = EXECUTORS.filter((_, at) => !known.includes(names[at] as string));
  if (unknown.length > 0)
    throw new EnvironmentError(`EXECUTORS names ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  return adapters.filter(({ info }) => names.includes(info.executor));
}
