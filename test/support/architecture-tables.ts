import { floorOfRoom, standsOn } from './architecture-floors.js';
import type { SourceFile } from './source-files.js';

/** The room whose rows a table or view holds. */
export const roomOfTable: Record<string, string> = {
  external_records: 'transfer',
  webhook_bodies: 'deliveries',
  workers: 'workers',
  projects: 'projects',
  project_groups: 'projects',
  project_members: 'projects',
  project_secrets: 'projects',
  repos: 'projects',
  tasks: 'tasks',
  live_tasks: 'tasks',
  listed_tasks: 'tasks',
  kept_tasks: 'tasks',
  task_counts: 'tasks',
  thought_records: 'thoughts',
  thought_heads: 'thoughts',
  attempts: 'attempts',
  attempt_repos: 'attempts',
  attempt_summaries: 'attempts',
  workspace_snapshots: 'attempts',
  sessions: 'sessions',
  queued_messages: 'sessions',
  agent_session_files: 'sessions',
  executions: 'executions',
  log_heads: 'executions',
  log_chunks: 'executions',
  approvals: 'approvals',
  approval_rules: 'approvals',
  review_comments: 'comments',
  attempt_reviews: 'comments',
  agent_reviews: 'comments',
  turn_authors: 'turns',
  continuations: 'continuations',
  repo_checks: 'checks',
  check_runs: 'checks',
  check_results: 'checks',
  check_baselines: 'checks',
  network_denials: 'network',
  task_watchers: 'inbox',
  inbox_readers: 'inbox',
  deliveries: 'deliveries',
  pull_requests: 'deliveries',
  pull_request_comments: 'deliveries',
  runners: 'cluster',
  turn_jobs: 'cluster',
  turn_shares: 'cluster',
  turn_clock: 'cluster',
  waiting_turns: 'cluster',
  clone_passwords: 'workspaces',
  audit_log: 'audit',
  events: 'events',
  idempotency_keys: 'idempotency',
  tool_invocations: 'tool-invocations',
  service_tokens: 'tokens',
  stored_bytes: 'storage',
  heard_logouts: 'pages',
  page_sessions: 'pages',
  schema_migrations: 'migration',
};

/** What names a table of a room above, and why. */
const exceptions: Record<string, string> = {
  'src/workspaces/clone-origins.repository.ts': 'repos projects attempts', // a clone goes with the last worktree of it
  'src/audit/audit.repository.ts': 'workers', // the actor's name, in the statement of the act
  'src/events/events.repository.ts': 'projects', // who may see an event
  'src/tokens/tokens.repository.ts': 'projects workers', // whose token it is, in one look-up a call
  'src/tasks/tasks.repository.ts': 'deliveries', // a task that goes on is closed by none
};

/** Tables and views that SQL in the source names behind FROM, JOIN, INTO, UPDATE or USING. */
export function sqlViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^src\/[^/]+\//.test(path) && !path.startsWith('src/pages/client/'))
    .flatMap(({ path, text }) =>
      [...new Set(tablesIn(text))]
        .filter((table) => !mayName(path.split('/')[1]!, roomOfTable[table]!))
        .filter((table) => !exceptions[path]?.split(' ').includes(table))
        .map((table) => `${path}: its SQL names ${table}, which is a table of ${roomOfTable[table]}`),
    );
}

const tablesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+((?:\w+(?:\s+(?:AS\s+)?\w+)?,\s*)*\w+)/g)]
    .flatMap(([, list]) => list!.split(/,\s*/))
    .map((name) => name.split(/\s/)[0]!)
    .filter((name) => Object.hasOwn(roomOfTable, name));

/** Records may be joined with each other; a mechanism names its own tables alone. */
function mayName(room: string, owner: string): boolean {
  const [own, other] = [floorOfRoom[room]!, floorOfRoom[owner]!];
  if (room === owner || (own === 2 && other === 2)) return true;
  return own === other ? standsOn(room, owner) : own > other && own > 1;
}
