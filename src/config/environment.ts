import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A value that stops the start; the message is one line and names the variable. */
export class EnvironmentError extends Error {}

interface Variable<T> {
  default: string;
  meaning: string;
  parse: (text: string) => T;
}
const text = (value: string, meaning: string): Variable<string> => ({ default: value, meaning, parse: (v) => v });
const folder = (value: string, meaning: string): Variable<string> => ({
  default: value,
  meaning,
  parse: (v) => path.resolve(v),
});
const choice = <T extends string>(value: T, allowed: readonly T[], meaning: string): Variable<T> => ({
  default: value,
  meaning,
  parse: (v) => {
    if (!allowed.includes(v as T)) throw new Error(`must be one of ${allowed.join(', ')}`);
    return v as T;
  },
});
/** A week. Timers of Node end at once where they are told to wait for more than 24 days. */
export const MAX_TIMEOUT_SECS = 7 * 24 * 3600;

const int = (value: number, meaning: string, min = 0, max = Number.MAX_SAFE_INTEGER): Variable<number> => ({
  default: String(value),
  meaning,
  parse: (v) => {
    const n = Number(v);
    if (!/^-?\d+$/.test(v) || n < min || n > max) throw new Error(`must be a whole number from ${min} to ${max}`);
    return n;
  },
});
const list = (meaning: string): Variable<string[]> => ({
  default: '',
  meaning,
  parse: (v) =>
    v
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
});
const address = (value: string, meaning: string): Variable<string> => ({
  default: value,
  meaning,
  parse: parseAddress,
});

const pairs = (meaning: string): Variable<Record<string, string>> => ({
  default: '',
  meaning,
  parse: (v) =>
    Object.fromEntries(
      v
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
        .map((item) => {
          const [, name, command] = /^([A-Z][A-Z0-9_]*)=(.+)$/.exec(item) ?? [];
          if (name === undefined) throw new Error('must be EXECUTOR=command, comma separated');
          return [name, command];
        }),
    ),
});

/** Every setting once: default, meaning, type. `NAME_FILE` reads the value from a file. */
export const variables = {
  HOST: text('127.0.0.1', 'Address to listen on. Beyond loopback TASKFLOW_SERVICE_TOKEN must be set.'),
  PORT: int(8000, 'Port to listen on; 0 picks a free one.', 0, 65535),
  DATABASE_URL: text('', 'PostgreSQL 15 or later. Empty: the embedded one under DATA_DIR.'),
  DATABASE_POOL_SIZE: int(10, 'Connections of the query pool of one process.', 2, 200),
  DATA_DIR: folder('./data', 'Worktrees, cloned repositories, the embedded database and the runner id.'),
  LOG_LEVEL: choice(
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Least level that is logged, as JSON lines on standard output.',
  ),
  ROLE: choice(
    'all',
    ['all', 'api', 'runner'],
    'all serves requests and runs agents; api only serves; runner only runs (probes are still served).',
  ),
  TASKFLOW_API_URL: address('http://localhost:8000', 'Where the gateway and stdio find the server.'),
  MCP_HOST: text(
    '0.0.0.0',
    'Address the gateway listens on. Beyond loopback TASKFLOW_SERVICE_TOKEN must be set, else it is 127.0.0.1.',
  ),
  MCP_PORT: int(8001, 'Port the gateway listens on; 0 picks a free one.', 0, 65535),
  TASKFLOW_SERVICE_TOKEN: text('', 'When set, REST and MCP need "Authorization: Bearer <token>"; probes do not.'),
  ALLOWED_ORIGINS: list('Browser origins that may call, comma separated. Empty: loopback hosts on any port.'),
  ALLOWED_HOSTS: list(
    'Host names that may be called, comma separated. Empty: loopback names on a loopback bind, any name otherwise.',
  ),
  RATE_LIMIT_PER_MINUTE: int(6000, 'Requests one client address may send in a minute; 0 is no limit.'),
  MAX_BODY_BYTES: int(4 * 1024 * 1024, 'Largest request body.', 1024),
  DIFF_GUARD_MAX_FILES: int(500, 'get_attempt_changes and get_attempt_patch block beyond this many changed files.'),
  DIFF_GUARD_MAX_LINES: int(25_000, 'The same for added plus deleted lines.'),
  DIFF_GUARD_MAX_BYTES: int(52_428_800, 'The same for the bytes of the changed files.'),
  VK_IDEMPOTENCY_COMPLETED_TTL_SECS: int(604_800, 'How long finished request ids are kept; 0 keeps them for ever.'),
  VK_IDEMPOTENCY_IN_PROGRESS_TTL_SECS: int(3_600, 'After this an unfinished request id is given up; 0 never.'),
  SHELL_EXECUTOR: choice(
    'auto',
    ['auto', 'on', 'off'],
    'The SHELL executor, which runs the prompt as a script. auto: on where HOST is loopback.',
  ),
  ISOLATION: choice(
    'auto',
    ['auto', 'bubblewrap', 'none'],
    'How runs are confined. auto: by bubblewrap where it works on this machine; beyond loopback none must be named.',
  ),
  RUN_MEMORY_MAX: int(8 * 1024 ** 3, 'Bytes of memory the processes of one run may use together; 0 is no limit.'),
  RUN_PROCESSES_MAX: int(4_096, 'Processes and threads one run may have at a time; 0 is no limit.'),
  AGENT_ENV: list('Names of further environment variables that agents and scripts are given, comma separated.'),
  EXECUTION_TIMEOUT_SECS: int(
    4 * 3600,
    'A run that takes longer is ended as failed, unless its start said otherwise; 0 never.',
    0,
    MAX_TIMEOUT_SECS,
  ),
  APPROVAL_TIMEOUT_SECS: int(
    3600,
    'How long an agent waits for an answer to what it asks; then the answer is no.',
    1,
    MAX_TIMEOUT_SECS,
  ),
  EXECUTOR_COMMANDS: pairs('Programs of agents that are not on the PATH: EXECUTOR=command, comma separated.'),
  EXECUTORS_FILE: text('', 'JSON file that declares further agents.'),
  AGENT_API_URL: text('', 'Address under which agents reach this server. Default: its own.'),
  MAX_CONCURRENT_EXECUTIONS: int(8, 'Runs at the same time in one process; more wait in the queue.', 1, 256),
  RUN_LOG_MAX_BYTES: int(64 * 1024 * 1024, 'Log bytes kept of one run; the rest is counted and dropped.', 4096),
  AUTO_PROVISION: choice(
    'on',
    ['on', 'off'],
    'An unknown X-User-Id or user_id becomes a worker with a Default project; off refuses it.',
  ),
  REQUIRE_HUMAN_APPROVAL: choice(
    'off',
    ['on', 'off'],
    'on: a worker of type agent may not complete a task from review.',
  ),
  TOOL_INVOCATIONS_TTL_DAYS: int(90, 'How long tool calls are kept; 0 keeps them for ever.'),
  WORKTREE_TTL_HOURS: int(72, 'Idle worktrees without uncommitted work are removed after this; 0 never.'),
} satisfies Record<string, Variable<unknown>>;

export type Environment = { [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['parse']> };
export const ENVIRONMENT = Symbol('Environment');

/** Reads and checks every variable. @throws EnvironmentError that names the first bad one. */
export function loadEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const entries = Object.entries(variables).map(([name, variable]) => [name, readVariable(name, variable, source)]);
  return Object.fromEntries(entries) as Environment;
}

function readVariable(name: string, variable: Variable<unknown>, source: NodeJS.ProcessEnv): unknown {
  const given = source[name] || secretFile(name, source[`${name}_FILE`]);
  try {
    return variable.parse(given || variable.default);
  } catch (error) {
    throw new EnvironmentError(`${name}="${given}" is not valid: ${(error as Error).message}. ${variable.meaning}`);
  }
}

/** Base of HTTP requests, without a slash at its end. */
function parseAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isBase = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (!isBase) throw new Error('must be an http or https address without credentials and query');
  return url.href.replace(/\/+$/, '');
}

function secretFile(name: string, file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new EnvironmentError(`${name}_FILE="${file}" cannot be read.`);
  }
}
