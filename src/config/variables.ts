import {
  address,
  choice,
  choices,
  counts,
  days,
  folder,
  groupRoles,
  int,
  issuer,
  labels,
  list,
  networks,
  optionalAddress,
  origin,
  pairs,
  paths,
  prefix,
  proxy,
  text,
  type Variable,
} from './variable-kinds.js';

/** A week. A timer of Node fires at once when asked to wait for more than 24 days. */
export const MAX_TIMEOUT_SECS = 7 * 24 * 3600;

/** Every setting: default, meaning, type. `NAME_FILE` reads the value from a file. */
export const variables = {
  HOST: text(
    '127.0.0.1',
    'Address to listen on. Any address beyond loopback requires OIDC_ISSUER, or TASKFLOW_SERVICE_TOKEN of at least ' +
      '32 characters.',
  ),
  PORT: int(8000, 'Port to listen on; 0 picks a free one.', 0, 65535),
  DATABASE_URL: text('', 'URL of PostgreSQL 15 or later. Empty: an embedded PostgreSQL under DATA_DIR.'),
  MIGRATION_DATABASE_URL: text(
    '',
    'PostgreSQL URL of the role that owns the tables and migrates them at the start. Empty: DATABASE_URL.',
  ),
  MIGRATE: choice(
    'auto',
    ['auto', 'off'],
    'auto: ROLE=all migrates the schema when it starts. off, and the other roles: wait until it is migrated.',
  ),
  DATABASE_POOL_SIZE: int(10, 'Size of the connection pool of one process.', 2, 200),
  DATA_DIR: folder(
    './data',
    'Directory of worktrees, cloned repositories, the embedded database and the runner id. ROLE=api keeps nothing ' +
      'in it.',
  ),
  LOG_LEVEL: choice(
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Minimum log level. Logs are JSON lines on standard output.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalAddress(
    'Collector that takes traces over OTLP (HTTP). The other variables of the OpenTelemetry SDK work too. Empty: no ' +
      'SDK is loaded.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalAddress('The same as a complete URL, which overrides the other.'),
  OTEL_SDK_DISABLED: choice('false', ['true', 'false'], 'true loads no SDK, even if a collector is named.'),
  ROLE: choice(
    'all',
    ['all', 'api', 'runner'],
    'all serves requests and runs agents; api only serves requests; runner only runs agents (and serves probes).',
  ),
  INTERNAL_PORT: int(8002, 'Port on which processes of one database reach each other; 0 picks a free one.', 0, 65535),
  INTERNAL_ADDRESS: text(
    '',
    'Host and port at which the others reach this process. Empty: host name (HOST if loopback) and INTERNAL_PORT.',
  ),
  CLUSTER_SECRET: text(
    '',
    'Secret (at least 32 characters) that all processes of one database share; it seals what a database keeps secret.',
  ),
  CLUSTER_SECRET_PREVIOUS: text('', 'CLUSTER_SECRET before this one: what it sealed is sealed anew at a start.'),
  RUNNER_LOST_SECS: int(60, 'Silence after which the attempts of a runner continue elsewhere.', 3, 86_400),
  RETRY_DELAY_SECS: int(30, 'Wait before the first retry of a failure; each further one is longer.', 0, 600),
  RUNNER_LABELS: labels(
    'Labels of this runner, comma-separated. It takes turns whose project and repositories need none but these.',
  ),
  RUNNER_LIFE: choice(
    'long',
    ['long', 'attempt', 'keeper'],
    'What a runner lives for. long: any turns. attempt: the turns of the first attempt it takes, after whose rest it ' +
      'ends; keeper: no turns, but clones, previews and merges. Both need ROLE=runner, CLUSTER_SECRET and a ' +
      'WORKSPACE_STORE.',
  ),
  RUNNER_IDLE_SECS: int(600, 'How long after the end of a turn a runner for one attempt ends.', 1, MAX_TIMEOUT_SECS),
  RUNNER_UNUSED_SECS: int(120, 'How long it waits for its first turn before it ends.', 1, MAX_TIMEOUT_SECS),
  DRAIN_SECS: int(0, 'How long a stop (SIGTERM) waits for running turns before it ends them.', 0, 86_400),
  TASKFLOW_API_URL: address('http://localhost:8000', 'Base URL of the server, for the gateway and for stdio.'),
  MCP_HOST: text(
    '0.0.0.0',
    'Address the gateway listens on. Without TASKFLOW_SERVICE_TOKEN or OIDC_ISSUER, any address beyond loopback ' +
      'becomes 127.0.0.1.',
  ),
  MCP_PORT: int(8001, 'Port the gateway listens on; 0 picks a free one.', 0, 65535),
  TASKFLOW_SERVICE_TOKEN: text('', 'If set, REST and MCP require "Authorization: Bearer <token>"; probes do not.'),
  PUBLIC_URL: origin('Origin at which clients reach this server or gateway. OIDC_ISSUER requires it.'),
  OIDC_ISSUER: issuer(
    'Identity provider whose access tokens (JWT) REST and MCP accept, spelled as in its tokens. It requires ' +
      'PUBLIC_URL and OIDC_ROLES.',
  ),
  OIDC_AUDIENCE: list(
    'Audiences of tokens for this server, comma-separated. Empty: PUBLIC_URL and the addresses of its endpoints.',
  ),
  OIDC_ROLES: groupRoles(
    'The most that members of a group may do: group=role, comma-separated. Roles: read, write, admin, act_as; * is ' +
      'everybody. A member of several groups has the roles of all.',
  ),
  OIDC_GROUPS_CLAIM: text('groups', 'Claim of a token that lists the groups of its holder.'),
  OIDC_CLIENT_ID: text(
    '',
    'Client of the identity provider by which people sign in at the page. It requires OIDC_ISSUER; its redirect ' +
      'address is PUBLIC_URL and BASE_PATH with /ui/callback. Empty: people sign in with a token.',
  ),
  OIDC_CLIENT_SECRET: text('', 'Secret of that client. Empty: it is a public client.'),
  OIDC_CLI_CLIENT_ID: text(
    '',
    'Public client of the identity provider by which people sign in on the command line, at any port of ' +
      'http://127.0.0.1/callback. Empty: command lines register themselves.',
  ),
  OIDC_SCOPES: text('openid profile email', 'Scopes that the page asks for at a sign-in, separated by spaces.'),
  OIDC_CLOCK_SKEW_SECS: int(60, 'How far the clock of the identity provider may be off.', 0, 300),
  ALLOWED_ORIGINS: list('Allowed browser origins, comma-separated. Empty: pages of the server itself only.'),
  ALLOWED_HOSTS: list(
    'Allowed host names, comma-separated. Empty: loopback names if HOST is loopback, otherwise any name.',
  ),
  PAGES: choice('on', ['on', 'off'], 'on serves the page for people at /ui.'),
  PAGE_TOKEN_SIGN_IN: choice(
    'auto',
    ['auto', 'on', 'off'],
    'on lets people sign in at the page with a token; auto is on unless OIDC_CLIENT_ID is set.',
  ),
  BASE_PATH: prefix('Path under which a proxy publishes the server, such as /taskyard. Empty: none.'),
  TRUSTED_PROXIES: networks(
    'Proxies whose X-Forwarded-For names the client: addresses or CIDRs, comma-separated. Empty: it is ignored.',
  ),
  RATE_LIMIT_PER_MINUTE: int(6000, 'Maximum requests per minute of one caller; 0 disables the limit.'),
  MAX_STREAMS_PER_PRINCIPAL: int(500, 'Maximum event streams and long polls one caller may have open.', 1),
  MAX_STREAMS: int(2_000, 'The same for all callers of one process together.', 1),
  MAX_BODY_BYTES: int(4 * 1024 * 1024, 'Maximum size of a request body in bytes.', 1024),
  DIFF_GUARD_MAX_FILES: int(
    500,
    'get_attempt_changes and get_attempt_patch are blocked beyond this number of changed files.',
  ),
  DIFF_GUARD_MAX_LINES: int(25_000, 'The same limit for added plus deleted lines.'),
  DIFF_GUARD_MAX_BYTES: int(52_428_800, 'The same limit for the total size of the changed files in bytes.'),
  VK_IDEMPOTENCY_COMPLETED_TTL_SECS: int(604_800, 'How long completed idempotency keys are kept; 0: forever.'),
  VK_IDEMPOTENCY_IN_PROGRESS_TTL_SECS: int(3_600, 'Age at which one in progress counts as stale; 0: it never does.'),
  SHELL_EXECUTOR: choice(
    'auto',
    ['auto', 'on', 'off'],
    'Whether callers may run commands: SHELL, run lines of DEMO, scripts of repositories. auto: if HOST is loopback.',
  ),
  EXECUTORS: list('Executors that exist on this server, comma-separated. Empty: all.'),
  ISOLATION: choice(
    'auto',
    ['auto', 'bubblewrap', 'container', 'none'],
    'How runs are confined. auto uses bubblewrap if it works on this machine; bubblewrap requires it. container: in ' +
      'the container beside this one, by `taskyard cell` at CELL_SOCKET.',
  ),
  CELL_SOCKET: text('', 'Path of the socket at which `taskyard cell` listens, on a volume of both containers.'),
  RUN_NETWORK: choice(
    'auto',
    ['auto', 'host', 'open', 'listed', 'none'],
    'The most that the network of a run may be, whatever its project says. open: public hosts, by a proxy; listed: ' +
      'hosts that the project lists; none. auto: open, but host where runs have no walls. host: open runs share the ' +
      'network of the server, with its loopback and all that it reaches.',
  ),
  EGRESS_PROXY: proxy('Proxy (http or https URL) by which the connections of runs go on. Empty: none.'),
  PRESETS_FILE: text('', 'JSON file of presets, lists of hosts by name, for the networks of projects.'),
  RUN_MEMORY_MAX: int(8 * 1024 ** 3, 'Bytes of memory the processes of one run may use together; 0 is no limit.'),
  RUN_PROCESSES_MAX: int(4_096, 'Processes and threads one run may have at a time; 0 is no limit.'),
  RUN_DISK_MAX: int(20 * 1024 ** 3, 'Bytes one run may take in worktrees, agent state and /tmp; 0 is no limit.'),
  AGENT_ENV: list('Additional environment variables passed on to agents and scripts, by name, comma-separated.'),
  EXECUTION_TIMEOUT_SECS: int(
    4 * 3600,
    'Maximum run time, overridable by timeout_secs; 0 disables it.',
    0,
    MAX_TIMEOUT_SECS,
  ),
  APPROVAL_TIMEOUT_SECS: int(3600, 'How long an approval request stays open; then it is denied.', 1, MAX_TIMEOUT_SECS),
  EXECUTOR_COMMANDS: pairs('Commands of agents that are not on the PATH: EXECUTOR=command, comma-separated.'),
  EXECUTORS_FILE: text('', 'JSON file that declares additional agents.'),
  FORGES_FILE: text('', 'JSON file that lists the forges on which pull requests are opened, each with its token.'),
  FORGE_POLL_SECS: int(60, 'How often an open pull request is polled; quiet ones are polled less often.', 1, 3_600),
  AGENT_SCOPES: choices(
    'own',
    ['own', 'tasks', 'attempts', 'deliver'],
    'What a run may do with its token, comma-separated. own: change its task and subtasks; tasks: any task of its ' +
      'project; attempts: start, follow up and stop attempts of tasks it created, with its own executor and variant, ' +
      'three levels deep at most; deliver: deliver its own attempt. It reads its project, and deletes nothing.',
  ),
  AGENT_API_URL: text('', 'URL at which agents reach the API. Default: its own address; runners have none.'),
  MAX_CONCURRENT_EXECUTIONS: int(8, 'Maximum concurrent turns of one process; more wait in the queue.', 1, 256),
  MAX_CONCURRENT_PER_PROJECT: int(0, 'The same for one project across all processes; 0 is no limit.'),
  MAX_CONCURRENT_PER_EXECUTOR: counts(
    'The same for single executors: EXECUTOR=number, comma-separated. Empty: no limit.',
  ),
  MAX_LIVE_RUNS_PER_PRINCIPAL: int(0, 'Maximum turns one caller may have waiting and running; 0 is no limit.'),
  MAX_LIVE_RUNS_PER_PROJECT: int(0, 'The same for one project; 0 is no limit.'),
  MAX_STORED_BYTES_PER_PRINCIPAL: int(200 * 1024 ** 3, 'Maximum bytes stored for one caller; 0 is no limit.'),
  MAX_STORED_BYTES_PER_PROJECT: int(100 * 1024 ** 3, 'The same for one project; 0 is no limit.'),
  RUN_LOG_MAX_BYTES: int(
    64 * 1024 * 1024,
    'Maximum log size of one run in bytes; anything beyond is counted and dropped.',
    4096,
  ),
  AUTO_PROVISION: choice(
    'on',
    ['on', 'off'],
    'on adds an unknown X-User-Id, user_id or person of OIDC_ISSUER as a worker with a Default project; off ' +
      'refuses them.',
  ),
  REQUIRE_HUMAN_APPROVAL: choice(
    'off',
    ['on', 'off'],
    'on prevents workers of type agent from completing a task in review, and makes their deliveries wait for approval.',
  ),
  REPOSITORY_ROOTS: paths(
    'Folders below which repositories may be used, comma-separated. Empty: anywhere if HOST is loopback, else nowhere.',
  ),
  REPOSITORY_HOSTS: list(
    'Hosts to clone from (host or host:port), comma-separated. Empty: any host with public addresses.',
  ),
  REPOSITORY_TRUST: list('Repositories of other users that git may use: absolute paths, comma-separated.'),
  GIT_REMOTE_TIMEOUT_SECS: int(120, 'Maximum time of one call to a remote of a repository or to a forge.', 1, 3600),
  WORKSPACE_STORE: choice(
    'database',
    ['database', 'remote', 'none'],
    'Where runners that share a database save work, so that another one can continue it. remote: as refs below ' +
      'refs/taskyard/attempts in the remote of each repository; in the database if there is none or it refuses.',
  ),
  WORKSPACE_SAVE_SECS: int(60, 'How often work is saved while a turn runs; at its end it always is.', 1, 86_400),
  WORKSPACE_SNAPSHOT_MAX_BYTES: int(
    64 * 1024 * 1024,
    'Maximum size of the saved work of one repository of an attempt in bytes; beyond it nothing newer is saved.',
    4096,
  ),
  TOOL_INVOCATIONS_TTL_DAYS: days(90, 'How long records of tool calls are kept'),
  LOG_TTL_DAYS: days(180, 'How long the logs, events and saved conversations of idle attempts are kept'),
  APPROVAL_TTL_DAYS: days(180, 'How long closed approval requests are kept'),
  EVENT_TTL_DAYS: days(30, 'How long events of projects are kept'),
  AUDIT_TTL_DAYS: days(0, 'How long audit entries are kept, at least 30', 30),
  WORKTREE_TTL_HOURS: int(72, 'Idle time after which worktrees without uncommitted work are removed; 0 keeps them.'),
} satisfies Record<string, Variable<unknown>>;
