import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

/** By default it wakes the process a hundred times a second. */
const EVENT_LOOP_SAMPLE_MS = 100;
collectDefaultMetrics({ eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });

/** Metrics of this process. No label holds an id of a project, task or caller, because each value is a series. */
export const processMetrics = register;

const CALL_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const WORK_SECONDS = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400];

export const buildInfo = new Gauge({
  name: 'taskyard_build_info',
  help: 'Always 1; which release this process is, and in which role.',
  labelNames: ['version', 'role'],
});
export const httpDuration = new Histogram({
  name: 'taskyard_http_request_duration_seconds',
  help: 'Time to answer a request, by route; streams and long polls count for as long as they were held.',
  labelNames: ['method', 'route', 'status'],
  buckets: CALL_SECONDS,
});
export const toolCalls = new Counter({
  name: 'taskyard_tool_calls_total',
  help: 'Tool calls of every dialect; code is ok or the code of the refusal.',
  labelNames: ['toolset', 'tool', 'code'],
});
export const toolDuration = new Histogram({
  name: 'taskyard_tool_call_duration_seconds',
  help: 'Time of a tool call, waiting included.',
  labelNames: ['toolset', 'tool'],
  buckets: CALL_SECONDS,
});
export const authenticationFailures = new Counter({
  name: 'taskyard_authentication_failures_total',
  help: 'Credentials that were refused.',
});
export const openRequests = new Gauge({
  name: 'taskyard_open_requests',
  help: 'Event streams and long polls that are open.',
});
export const databaseConnections = new Gauge({
  name: 'taskyard_database_connections',
  help: 'Connections of the pool: busy, idle, and callers that wait for one.',
  labelNames: ['state'],
});
export const liveTurns = new Gauge({
  name: 'taskyard_turns',
  help: 'Live turns of the whole cluster, by state; the same on every process, so take the max.',
  labelNames: ['state', 'executor'],
});
export const queueDepth = new Gauge({
  name: 'taskyard_queue_depth',
  help: 'Turns of the whole cluster that wait for a runner; the same on every process, so take the max.',
});
export const queueOldest = new Gauge({
  name: 'taskyard_queue_oldest_age_seconds',
  help: 'How long the oldest of them has waited; the same on every process, so take the max.',
});
export const waitingTurns = new Gauge({
  name: 'taskyard_waiting_turns',
  help: 'The same by pool, executor and reason: no_runner, no_runner_with_label, or no_place.',
  labelNames: ['pool', 'executor', 'reason'],
});
export const queueWait = new Histogram({
  name: 'taskyard_queue_wait_seconds',
  help: 'Time from the start of a turn to a runner that took it.',
  buckets: WAIT_SECONDS,
});
export const runners = new Gauge({
  name: 'taskyard_runners',
  help: 'Processes of the whole cluster, by role and state; the same on every process, so take the max.',
  labelNames: ['role', 'state'],
});
export const slots = new Gauge({
  name: 'taskyard_slots',
  help: 'Places for turns of this process.',
  labelNames: ['state'],
});
export const executionsEnded = new Counter({
  name: 'taskyard_executions_ended_total',
  help: 'Executions that ended, agents and scripts.',
  labelNames: ['executor', 'run_reason', 'status'],
});
export const checksEnded = new Counter({
  name: 'taskyard_checks_ended_total',
  help: 'Checks of work that came to an end.',
  labelNames: ['state'],
});
export const executionDuration = new Histogram({
  name: 'taskyard_execution_duration_seconds',
  help: 'Time of an execution, from its worktrees to its end.',
  labelNames: ['run_reason'],
  buckets: WORK_SECONDS,
});
export const agentTokens = new Counter({
  name: 'taskyard_agent_tokens_total',
  help: 'Tokens that agents report, by kind: input, those of them from a cache, output.',
  labelNames: ['executor', 'kind'],
});
export const agentCost = new Counter({
  name: 'taskyard_agent_cost_usd_total',
  help: 'Cost in US dollars, as agents estimate it.',
  labelNames: ['executor'],
});
export const reviews = new Counter({
  name: 'taskyard_reviews_total',
  help: 'Reviews by a second agent, by outcome: approve, request_changes or errored.',
  labelNames: ['executor', 'outcome'],
});
export const turnsLost = new Counter({
  name: 'taskyard_turns_lost_total',
  help: 'Turns whose runner went silent.',
});
export const continuations = new Counter({
  name: 'taskyard_continuations_total',
  help: 'Messages that the server sends by itself, by cause and by what became of them.',
  labelNames: ['cause', 'state'],
});
export const logLines = new Counter({
  name: 'taskyard_log_lines_total',
  help: 'Log entries stored, by channel.',
  labelNames: ['channel'],
});
export const logDropped = new Counter({
  name: 'taskyard_log_dropped_total',
  help: 'Log entries beyond RUN_LOG_MAX_BYTES, or refused by the database.',
});
