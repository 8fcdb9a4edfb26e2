import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { agentEnvironment } from '../config/child-environment.js';
import type { Environment } from '../config/environment.js';
import { effectiveNetwork } from '../egress/run-network.js';
import { programVersion } from '../platform/process/program-version.js';
import { memoryProblem } from '../platform/sandbox/container-memory.js';
import { openSandbox } from '../platform/sandbox/open-sandbox.js';
import type { Sandbox } from '../platform/sandbox/sandbox.js';
import { allAdapters } from '../executors/agent-adapters.js';
import { findExecutors } from '../executors/executor-catalogue.js';
import { ShellAdapter } from '../executors/shell/shell.adapter.js';
import { fault, type Finding, look, ok, warning } from './finding.js';

const NODE = [20, 19];
/** The first whose `merge-tree` previews a merge. */
const GIT = [2, 38];
const DISK_FAULT_BYTES = 256 * 1024 ** 2;
const DISK_WARNING_BYTES = 5 * 1024 ** 3;
const FEW_INODES = 10_000;

/** What a process needs of the machine it runs on. An API replica starts no programs and keeps no worktrees. */
export async function machineChecks(environment: Environment): Promise<Finding[]> {
  const common = [nodeVersion()];
  if (environment.ROLE === 'api') return common;
  return [
    ...common,
    ...(await look('git', 'Install git 2.38 or later.', gitVersion)),
    ...(await look('isolation', ISOLATION_MEND, () => isolation(environment))),
    ...(environment.ISOLATION === 'container' ? [] : memory(environment)),
    ...(await look('disk', 'Set DATA_DIR to a folder that this user may write to.', () => disk(environment))),
    ...(await look('agents', 'Correct EXECUTORS, EXECUTORS_FILE or EXECUTOR_COMMANDS.', () => agents(environment))),
  ];
}

const ISOLATION_MEND =
  'Install bubblewrap and allow user namespaces (in a container: seccomp, AppArmor and /proc unmasked), or set ' +
  'ISOLATION=none, which gives runs all the power of this user.';

const CELL_MEND =
  'Start `taskyard cell` as the first program of the container for runs, with the CELL_SOCKET of this server on a ' +
  'volume of both.';

const ALONE_MEND = 'Runs of one container see and reach one another: set MAX_CONCURRENT_EXECUTIONS=1, unless they may.';

const NETWORK_MEND =
  'Runs share the loopback and the network of this machine; to separate them, install bubblewrap and leave ' +
  'RUN_NETWORK on auto.';

const PROXY_MEND =
  'This machine has a proxy (HTTPS_PROXY), which the connections of runs do not take: if they must, name it in ' +
  'EGRESS_PROXY.';

function nodeVersion(): Finding {
  const what = `Node ${process.versions.node}`;
  return isAtLeast(process.versions.node, NODE)
    ? ok('node', what)
    : fault('node', what, `Install Node ${NODE.join('.')} or later; 24 is recommended.`);
}

async function gitVersion(): Promise<Finding[]> {
  const [version] = /\d+(\.\d+)+/.exec((await programVersion('git')) ?? '') ?? [];
  if (version === undefined) return [fault('git', 'not found on the PATH', 'Install git 2.38 or later.')];
  if (isAtLeast(version, GIT)) return [ok('git', `git ${version}`)];
  return [fault('git', `git ${version} is too old`, 'Install git 2.38 or later.')];
}

async function isolation(environment: Environment): Promise<Finding[]> {
  const sandbox = await openSandbox(environment);
  const { isolation: found, reason, limits } = sandbox;
  const network = networkFinding(environment, sandbox);
  if (found === 'bubblewrap') return [ok('isolation', `bubblewrap works; limits: ${JSON.stringify(limits)}`), network];
  if (found === 'container') return [beside(reason, environment), network];
  return [warning('isolation', `runs are not isolated: ${reason ?? 'none'}`, ISOLATION_MEND), network];
}

function beside(reason: string | null, { CELL_SOCKET, MAX_CONCURRENT_EXECUTIONS: slots }: Environment): Finding {
  if (reason !== null) return fault('isolation', `no run can start: ${reason}`, CELL_MEND);
  if (slots > 1) return warning('isolation', `${slots} runs at a time share one container`, ALONE_MEND);
  return ok('isolation', `the launcher at ${CELL_SOCKET} answers`);
}

function networkFinding(environment: Environment, sandbox: Pick<Sandbox, 'isolation' | 'reason'>): Finding {
  const { network, reason } = effectiveNetwork('open', environment, sandbox);
  const what = `runs reach at most "${network}"${reason === null ? '' : `: ${reason}`}`;
  if (network === 'host') return warning('network', what, NETWORK_MEND);
  const { HTTPS_PROXY, https_proxy } = agentEnvironment([]);
  return (HTTPS_PROXY || https_proxy) && !environment.EGRESS_PROXY
    ? warning('network', what, PROXY_MEND)
    : ok('network', what);
}

function memory(environment: Environment): Finding[] {
  const problem = memoryProblem(environment);
  return problem === null ? [] : [warning('memory', problem.what, problem.mend)];
}

async function disk({ DATA_DIR }: Environment): Promise<Finding[]> {
  const folder = nearest(DATA_DIR);
  accessSync(folder, constants.W_OK | constants.X_OK);
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const what = `${(free / 1024 ** 3).toFixed(1)} GiB free for DATA_DIR ${DATA_DIR}`;
  const mend = 'Free some space, move DATA_DIR, or lower WORKTREE_TTL_HOURS.';
  if (free < DISK_FAULT_BYTES) return [fault('disk', what, mend)];
  if (files > 0 && ffree < FEW_INODES) return [fault('disk', `${ffree} files can still be made`, mend)];
  return [free < DISK_WARNING_BYTES ? warning('disk', what, mend) : ok('disk', what)];
}

/** The nearest existing folder, because a start creates a missing one. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(path.dirname(folder));
}

async function agents(environment: Environment): Promise<Finding[]> {
  const executors = await findExecutors(allAdapters(new ShellAdapter(environment), environment));
  const available = executors.filter(({ is_available }) => is_available);
  const missing = executors.filter(({ is_available }) => !is_available);
  const isWanted = environment.EXECUTORS.length > 0;
  const hasAgent = available.some(({ executor }) => !['SHELL', 'DEMO'].includes(executor));
  const findings = available.map(({ executor, version }) => ok('agents', `${executor} ${version ?? ''}`.trim()));
  if (missing.length === 0 || (hasAgent && !isWanted)) return findings;
  const reasons = missing.map(({ executor, reason }) => `${executor}: ${reason}`).join('; ');
  const what = hasAgent ? 'some of EXECUTORS cannot start' : 'no coding agent can start';
  return [...findings, warning('agents', `${what} (${reasons})`, AGENT_MEND)];
}

const AGENT_MEND = 'Install its program on the PATH of the server, or name it in EXECUTOR_COMMANDS.';

function isAtLeast(version: string, [major, minor]: number[]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number);
  return foundMajor > major! || (foundMajor === major && foundMinor >= minor!);
}
