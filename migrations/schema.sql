-- The schema that the migrations make, for reading and review. Written by "npm run accept"; the migrations are the source.

CREATE TABLE agent_reviews (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  session_id uuid,
  execution_id uuid,
  executor text NOT NULL,
  work_print text,
  verdict text,
  summary text,
  comment_ids uuid[] NOT NULL DEFAULT '{}'::uuid[],
  refusal text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  submitted_at timestamp(3) with time zone,
  CONSTRAINT agent_reviews_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT agent_reviews_begun CHECK (((execution_id IS NULL) = (refusal IS NOT NULL))),
  CONSTRAINT agent_reviews_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id),
  CONSTRAINT agent_reviews_execution_key UNIQUE (execution_id),
  CONSTRAINT agent_reviews_number_key UNIQUE (number),
  CONSTRAINT agent_reviews_pkey PRIMARY KEY (id),
  CONSTRAINT agent_reviews_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT agent_reviews_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id),
  CONSTRAINT agent_reviews_submitted CHECK (((verdict IS NULL) = (submitted_at IS NULL))),
  CONSTRAINT agent_reviews_verdict_check CHECK ((verdict = ANY (ARRAY['approve'::text, 'request_changes'::text])))
);

CREATE TABLE agent_session_files (
  session_id uuid NOT NULL,
  attempt_id uuid NOT NULL,
  agent_session_id text NOT NULL,
  path text NOT NULL,
  content bytea NOT NULL,
  bytes integer NOT NULL,
  fingerprint text NOT NULL,
  stored_by text,
  saved_by text NOT NULL,
  saved_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT agent_session_files_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT agent_session_files_pkey PRIMARY KEY (session_id),
  CONSTRAINT agent_session_files_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id)
);

CREATE TABLE approval_rules (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  project_id uuid NOT NULL,
  tool_name text NOT NULL,
  summary text NOT NULL,
  input jsonb NOT NULL,
  input_hash text NOT NULL GENERATED ALWAYS AS (md5((input)::text)) STORED,
  made_by text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT approval_rules_number_key UNIQUE (number),
  CONSTRAINT approval_rules_one UNIQUE (project_id, input_hash, tool_name),
  CONSTRAINT approval_rules_pkey PRIMARY KEY (id),
  CONSTRAINT approval_rules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);

CREATE TABLE approvals (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  execution_id uuid,
  attempt_id uuid NOT NULL,
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  tool_name text NOT NULL,
  tool_call text,
  summary text NOT NULL,
  input jsonb NOT NULL,
  delivery jsonb,
  status text NOT NULL,
  reason text,
  answered_by text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  timeout_at timestamp(3) with time zone,
  answered_at timestamp(3) with time zone,
  performed_at timestamp(3) with time zone,
  requested_host text,
  granted_for text,
  CONSTRAINT approvals_asker_check CHECK (((execution_id IS NULL) = (delivery IS NOT NULL))),
  CONSTRAINT approvals_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT approvals_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id),
  CONSTRAINT approvals_granted_for_check CHECK ((granted_for = ANY (ARRAY['run'::text, 'project'::text]))),
  CONSTRAINT approvals_number_key UNIQUE (number),
  CONSTRAINT approvals_pkey PRIMARY KEY (id),
  CONSTRAINT approvals_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'timed_out'::text, 'cancelled'::text]))),
  CONSTRAINT approvals_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE attempt_repos (
  attempt_id uuid NOT NULL,
  repo_id uuid NOT NULL,
  "position" integer NOT NULL,
  repo_name text NOT NULL,
  repo_path text NOT NULL,
  target_branch text NOT NULL,
  base_commit text,
  operation text,
  operation_onto text,
  delivered_head text,
  CONSTRAINT attempt_repos_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT attempt_repos_operation_check CHECK ((operation = ANY (ARRAY['merge'::text, 'rebase'::text]))),
  CONSTRAINT attempt_repos_pkey PRIMARY KEY (attempt_id, repo_id),
  CONSTRAINT attempt_repos_repo_fkey FOREIGN KEY (repo_id) REFERENCES repos(id)
);

CREATE TABLE attempt_reviews (
  attempt_id uuid NOT NULL,
  reviewer text NOT NULL,
  marks jsonb NOT NULL,
  reviewed_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT attempt_reviews_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT attempt_reviews_pkey PRIMARY KEY (attempt_id, reviewer)
);

CREATE TABLE attempts (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  parent_attempt_id uuid,
  depth smallint NOT NULL DEFAULT 0,
  branch text NOT NULL,
  workspace_state text NOT NULL DEFAULT 'preparing'::text,
  runner_id text,
  delivery_state text,
  delivery_state_at timestamp(3) with time zone,
  pr_url text,
  lines_added integer,
  lines_deleted integer,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  files_changed integer,
  resolving boolean NOT NULL DEFAULT false,
  is_imported boolean NOT NULL DEFAULT false,
  would_conflict boolean NOT NULL DEFAULT false,
  checks_state text,
  fix_rounds_used smallint NOT NULL DEFAULT 0,
  checks_exhausted_reason text,
  work_print text,
  CONSTRAINT attempts_checks_state_check CHECK ((checks_state = ANY (ARRAY['pending'::text, 'running'::text, 'passed'::text, 'failed'::text, 'errored'::text, 'skipped'::text, 'stale'::text]))),
  CONSTRAINT attempts_delivery_state_check CHECK ((delivery_state = ANY (ARRAY['none'::text, 'ready'::text, 'conflicted'::text, 'updating'::text, 'pushed'::text, 'merged'::text, 'partly_delivered'::text, 'pr_open'::text, 'pr_queued'::text, 'pr_merged'::text, 'pr_closed'::text]))),
  CONSTRAINT attempts_depth CHECK (((depth >= 0) AND (depth <= 3))),
  CONSTRAINT attempts_number_key UNIQUE (number),
  CONSTRAINT attempts_parent_attempt_id_fkey FOREIGN KEY (parent_attempt_id) REFERENCES attempts(id) ON DELETE SET NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (id),
  CONSTRAINT attempts_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT attempts_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id),
  CONSTRAINT attempts_workspace_state_check CHECK ((workspace_state = ANY (ARRAY['preparing'::text, 'ready'::text, 'lost'::text, 'removed'::text])))
);

CREATE TABLE audit_log (
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  entity_type text NOT NULL,
  entity_id uuid,
  task_id uuid,
  project_id uuid,
  action text NOT NULL,
  actor_worker_id uuid,
  actor text NOT NULL,
  actor_type text NOT NULL,
  caller text,
  details jsonb NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['human'::text, 'agent'::text, 'system'::text]))),
  CONSTRAINT audit_log_entity_type_check CHECK ((entity_type = ANY (ARRAY['task'::text, 'project'::text, 'worker'::text, 'execution'::text, 'delivery'::text, 'token'::text, 'caller'::text]))),
  CONSTRAINT audit_log_pkey PRIMARY KEY (number)
);

CREATE TABLE check_baselines (
  repo_id uuid NOT NULL,
  commit text NOT NULL,
  definition_hash text NOT NULL,
  state text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT check_baselines_pkey PRIMARY KEY (repo_id, commit, definition_hash),
  CONSTRAINT check_baselines_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON DELETE CASCADE,
  CONSTRAINT check_baselines_state_check CHECK ((state = ANY (ARRAY['passed'::text, 'failed'::text])))
);

CREATE TABLE check_results (
  run_id uuid NOT NULL,
  "position" integer NOT NULL,
  attempt_id uuid NOT NULL,
  repo_id uuid NOT NULL,
  name text NOT NULL,
  required boolean NOT NULL,
  head text,
  target text,
  base text,
  version integer NOT NULL,
  definition jsonb NOT NULL,
  state text NOT NULL,
  exit_code integer,
  duration_ms integer,
  execution_id uuid,
  baseline_execution_id uuid,
  tries integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  failed_before boolean,
  reason text,
  tail text,
  merged text,
  CONSTRAINT check_results_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT check_results_baseline_execution_id_fkey FOREIGN KEY (baseline_execution_id) REFERENCES executions(id),
  CONSTRAINT check_results_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES executions(id),
  CONSTRAINT check_results_pkey PRIMARY KEY (run_id, "position"),
  CONSTRAINT check_results_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id),
  CONSTRAINT check_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES check_runs(id) ON DELETE CASCADE,
  CONSTRAINT check_results_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'passed'::text, 'failed'::text, 'errored'::text, 'skipped'::text, 'stale'::text])))
);

CREATE TABLE check_runs (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  task_id uuid NOT NULL,
  cause text NOT NULL,
  job_id uuid NOT NULL,
  requested_by text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  planned_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  CONSTRAINT check_runs_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT check_runs_cause_check CHECK ((cause = ANY (ARRAY['turn_end'::text, 'request'::text, 'delivery'::text]))),
  CONSTRAINT check_runs_job_key UNIQUE (job_id),
  CONSTRAINT check_runs_number_key UNIQUE (number),
  CONSTRAINT check_runs_pkey PRIMARY KEY (id),
  CONSTRAINT check_runs_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT check_runs_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE clone_passwords (
  repo_id uuid NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT clone_passwords_pkey PRIMARY KEY (repo_id),
  CONSTRAINT clone_passwords_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON DELETE CASCADE
);

CREATE TABLE continuations (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  task_id uuid NOT NULL,
  session_id uuid NOT NULL,
  cause text NOT NULL,
  cause_key text NOT NULL,
  round smallint NOT NULL,
  idle smallint NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone NOT NULL,
  state text NOT NULL,
  reason text,
  prompt text NOT NULL,
  is_task_text boolean NOT NULL,
  variant text,
  timeout_secs integer,
  job_id uuid NOT NULL,
  execution_id uuid,
  is_past boolean NOT NULL DEFAULT false,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT continuations_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id) ON DELETE CASCADE,
  CONSTRAINT continuations_cause_check CHECK ((cause = ANY (ARRAY['repair'::text, 'review'::text, 'transient'::text, 'quota'::text, 'infra'::text]))),
  CONSTRAINT continuations_cause_key_key UNIQUE (cause_key),
  CONSTRAINT continuations_number_key UNIQUE (number),
  CONSTRAINT continuations_pkey PRIMARY KEY (id),
  CONSTRAINT continuations_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT continuations_state_check CHECK ((state = ANY (ARRAY['due'::text, 'queued'::text, 'sent'::text, 'dropped'::text, 'exhausted'::text])))
);

CREATE TABLE deliveries (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  repo_id uuid NOT NULL,
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  strategy text,
  source_commit text NOT NULL,
  target_branch text NOT NULL,
  target_before text,
  target_after text NOT NULL,
  base_before text,
  remote text,
  moved_task boolean NOT NULL DEFAULT false,
  error_code text,
  requested_by text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT deliveries_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT deliveries_kind_check CHECK ((kind = ANY (ARRAY['merge'::text, 'push'::text, 'pull_request'::text]))),
  CONSTRAINT deliveries_number_key UNIQUE (number),
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT deliveries_repo_fkey FOREIGN KEY (attempt_id, repo_id) REFERENCES attempt_repos(attempt_id, repo_id),
  CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['landing'::text, 'merged'::text, 'pushed'::text, 'undoing'::text, 'undone'::text, 'failed'::text]))),
  CONSTRAINT deliveries_strategy_check CHECK ((strategy = ANY (ARRAY['squash'::text, 'merge'::text, 'ff'::text, 'rebase'::text]))),
  CONSTRAINT deliveries_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE events (
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  project_id uuid,
  type text NOT NULL,
  subject uuid NOT NULL,
  data jsonb NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT events_pkey PRIMARY KEY (number)
);

CREATE TABLE executions (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  session_id uuid NOT NULL,
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  run_reason text NOT NULL,
  status text NOT NULL,
  repo_id uuid,
  prompt text,
  is_task_text boolean NOT NULL DEFAULT false,
  variant text,
  timeout_secs integer,
  started_by text NOT NULL,
  job_id uuid,
  runner_id text,
  token_hash bytea,
  exit_code integer,
  failure_summary text,
  final_message text,
  stop_requested_at timestamp(3) with time zone,
  stop_forced boolean NOT NULL DEFAULT false,
  input_tokens bigint,
  cached_input_tokens bigint,
  output_tokens bigint,
  cost_usd double precision,
  log_bytes bigint NOT NULL DEFAULT 0,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  started_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  CONSTRAINT executions_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT executions_number_key UNIQUE (number),
  CONSTRAINT executions_pkey PRIMARY KEY (id),
  CONSTRAINT executions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT executions_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id),
  CONSTRAINT executions_run_reason_check CHECK ((run_reason = ANY (ARRAY['setupscript'::text, 'codingagent'::text, 'cleanupscript'::text, 'devserver'::text, 'check'::text, 'review'::text]))),
  CONSTRAINT executions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id),
  CONSTRAINT executions_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'killed'::text]))),
  CONSTRAINT executions_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE external_records (
  project_id uuid NOT NULL,
  kind text NOT NULL,
  system text NOT NULL,
  external_id text NOT NULL,
  record_id uuid NOT NULL,
  CONSTRAINT external_records_kind_check CHECK ((kind = ANY (ARRAY['repository'::text, 'task'::text, 'thought'::text, 'attempt'::text, 'session'::text, 'turn'::text, 'comment'::text]))),
  CONSTRAINT external_records_pkey PRIMARY KEY (project_id, kind, system, external_id),
  CONSTRAINT external_records_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT external_records_record_key UNIQUE (record_id)
);

CREATE TABLE heard_logouts (
  jti text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT heard_logouts_pkey PRIMARY KEY (jti)
);

CREATE TABLE idempotency_keys (
  operation text NOT NULL,
  principal_id text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  state text NOT NULL,
  result jsonb,
  project_id uuid,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (operation, principal_id, key),
  CONSTRAINT idempotency_keys_state_check CHECK ((state = ANY (ARRAY['in_progress'::text, 'completed'::text])))
);

CREATE TABLE inbox_readers (
  reader text NOT NULL,
  read_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT inbox_readers_pkey PRIMARY KEY (reader)
);

CREATE TABLE log_chunks (
  attempt_id uuid NOT NULL,
  channel text NOT NULL,
  first_index bigint NOT NULL,
  last_index bigint NOT NULL,
  execution_id uuid,
  created_at timestamp(3) with time zone NOT NULL,
  entries jsonb NOT NULL,
  CONSTRAINT log_chunks_pkey PRIMARY KEY (attempt_id, channel, last_index)
);

CREATE TABLE log_heads (
  attempt_id uuid NOT NULL,
  channel text NOT NULL,
  next_index bigint NOT NULL,
  last_activity_at timestamp(3) with time zone NOT NULL,
  dropped_entries bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  plan jsonb,
  CONSTRAINT log_heads_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT log_heads_channel_check CHECK ((channel = ANY (ARRAY['raw'::text, 'normalized'::text, 'events'::text]))),
  CONSTRAINT log_heads_pkey PRIMARY KEY (attempt_id, channel)
);

CREATE TABLE network_denials (
  attempt_id uuid NOT NULL,
  host text NOT NULL,
  port integer NOT NULL,
  count bigint NOT NULL,
  last_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT network_denials_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT network_denials_pkey PRIMARY KEY (attempt_id, host, port)
);

CREATE TABLE page_sessions (
  id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  principal jsonb NOT NULL,
  service_token_id uuid,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL,
  person text,
  provider_session text,
  tokens bytea,
  renew_at timestamp(3) with time zone,
  CONSTRAINT page_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT page_sessions_secret_key UNIQUE (secret_hash),
  CONSTRAINT page_sessions_service_token_id_fkey FOREIGN KEY (service_token_id) REFERENCES service_tokens(id) ON DELETE CASCADE
);

CREATE TABLE project_groups (
  project_id uuid NOT NULL,
  group_name text NOT NULL,
  role text NOT NULL,
  joined_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT project_groups_group_name_check CHECK ((group_name ~ '^[^[:cntrl:]]+$'::text)),
  CONSTRAINT project_groups_pkey PRIMARY KEY (project_id, group_name),
  CONSTRAINT project_groups_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT project_groups_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'maintainer'::text, 'owner'::text])))
);

CREATE TABLE project_members (
  project_id uuid NOT NULL,
  worker_id uuid NOT NULL,
  role text NOT NULL,
  joined_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT project_members_pkey PRIMARY KEY (project_id, worker_id),
  CONSTRAINT project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT project_members_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'maintainer'::text, 'owner'::text]))),
  CONSTRAINT project_members_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id)
);

CREATE TABLE project_secrets (
  project_id uuid NOT NULL,
  name text NOT NULL,
  sealed bytea NOT NULL,
  expose text[] NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT project_secrets_pkey PRIMARY KEY (project_id, name),
  CONSTRAINT project_secrets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);

CREATE TABLE projects (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  auto_commit text NOT NULL DEFAULT 'off'::text,
  stored_by text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  required_secrets text[] NOT NULL DEFAULT '{}'::text[],
  network text NOT NULL DEFAULT 'open'::text,
  allowed_hosts text[] NOT NULL DEFAULT '{}'::text[],
  presets text[] NOT NULL DEFAULT '{model}'::text[],
  runs_on text[] NOT NULL DEFAULT '{}'::text[],
  origin_system text,
  origin_id text,
  checks text NOT NULL DEFAULT 'off'::text,
  check_on text NOT NULL DEFAULT 'turn_end'::text,
  fix_rounds smallint NOT NULL DEFAULT 2,
  review jsonb,
  retries jsonb NOT NULL DEFAULT '{"infra": true, "quota": false, "transient": true}'::jsonb,
  CONSTRAINT projects_auto_commit_check CHECK ((auto_commit = ANY (ARRAY['off'::text, 'per_turn'::text]))),
  CONSTRAINT projects_check_on_check CHECK ((check_on = ANY (ARRAY['turn_end'::text, 'delivery'::text, 'request'::text]))),
  CONSTRAINT projects_checks_check CHECK ((checks = ANY (ARRAY['off'::text, 'warn'::text, 'block'::text]))),
  CONSTRAINT projects_fix_rounds_check CHECK (((fix_rounds >= 0) AND (fix_rounds <= 10))),
  CONSTRAINT projects_network_check CHECK ((network = ANY (ARRAY['open'::text, 'listed'::text, 'none'::text]))),
  CONSTRAINT projects_number_key UNIQUE (number),
  CONSTRAINT projects_origin_check CHECK (((origin_system IS NULL) = (origin_id IS NULL))),
  CONSTRAINT projects_pkey PRIMARY KEY (id)
);

CREATE TABLE pull_request_comments (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  pull_request_id uuid NOT NULL,
  forge_id text NOT NULL,
  thread_id text,
  author text NOT NULL,
  trusted boolean NOT NULL,
  path text,
  line integer,
  hunk text,
  body text NOT NULL,
  url text,
  resolved boolean NOT NULL,
  outdated boolean NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT pull_request_comments_key UNIQUE (pull_request_id, forge_id),
  CONSTRAINT pull_request_comments_number_key UNIQUE (number),
  CONSTRAINT pull_request_comments_pkey PRIMARY KEY (id),
  CONSTRAINT pull_request_comments_pull_request_id_fkey FOREIGN KEY (pull_request_id) REFERENCES pull_requests(id)
);

CREATE TABLE pull_requests (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  repo_id uuid NOT NULL,
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  forge_host text NOT NULL,
  forge_repository text NOT NULL,
  pr_number integer NOT NULL,
  url text NOT NULL,
  title text NOT NULL,
  state text NOT NULL,
  draft boolean NOT NULL,
  head_branch text NOT NULL,
  head_commit text NOT NULL,
  base_branch text NOT NULL,
  mergeability text NOT NULL,
  checks text NOT NULL,
  check_list jsonb NOT NULL DEFAULT '[]'::jsonb,
  checks_complete boolean NOT NULL DEFAULT false,
  review text NOT NULL,
  review_list jsonb NOT NULL DEFAULT '[]'::jsonb,
  merge_commit text,
  merged_by text,
  delivery_id uuid,
  is_settled boolean NOT NULL DEFAULT false,
  quiet_polls integer NOT NULL DEFAULT 0,
  next_sync_at timestamp(3) with time zone,
  synced_at timestamp(3) with time zone NOT NULL,
  sync_error text,
  requested_by text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT pull_requests_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT pull_requests_checks_check CHECK ((checks = ANY (ARRAY['none'::text, 'pending'::text, 'passing'::text, 'failing'::text, 'unknown'::text]))),
  CONSTRAINT pull_requests_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(id),
  CONSTRAINT pull_requests_forge_key UNIQUE (forge_host, forge_repository, pr_number),
  CONSTRAINT pull_requests_mergeability_check CHECK ((mergeability = ANY (ARRAY['unknown'::text, 'clean'::text, 'conflicting'::text, 'blocked'::text, 'behind'::text]))),
  CONSTRAINT pull_requests_number_key UNIQUE (number),
  CONSTRAINT pull_requests_pkey PRIMARY KEY (id),
  CONSTRAINT pull_requests_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT pull_requests_repo_fkey FOREIGN KEY (attempt_id, repo_id) REFERENCES attempt_repos(attempt_id, repo_id),
  CONSTRAINT pull_requests_review_check CHECK ((review = ANY (ARRAY['none'::text, 'approved'::text, 'changes_requested'::text, 'unknown'::text]))),
  CONSTRAINT pull_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'queued'::text, 'merged'::text, 'closed'::text]))),
  CONSTRAINT pull_requests_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE queued_messages (
  session_id uuid NOT NULL,
  attempt_id uuid NOT NULL,
  prompt text NOT NULL,
  variant text,
  timeout_secs integer,
  queued_by_worker_id uuid,
  queued_by text NOT NULL,
  queued_by_type text NOT NULL,
  charged_to text,
  queued_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  goes_first boolean NOT NULL DEFAULT false,
  CONSTRAINT queued_messages_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT queued_messages_id_key UNIQUE (id),
  CONSTRAINT queued_messages_pkey PRIMARY KEY (number),
  CONSTRAINT queued_messages_queued_by_type_check CHECK ((queued_by_type = ANY (ARRAY['human'::text, 'agent'::text, 'system'::text]))),
  CONSTRAINT queued_messages_queued_by_worker_id_fkey FOREIGN KEY (queued_by_worker_id) REFERENCES workers(id),
  CONSTRAINT queued_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id)
);

CREATE TABLE repo_checks (
  repo_id uuid NOT NULL,
  version integer NOT NULL,
  checks jsonb NOT NULL,
  CONSTRAINT repo_checks_pkey PRIMARY KEY (repo_id),
  CONSTRAINT repo_checks_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON DELETE CASCADE
);

CREATE TABLE repos (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  project_id uuid NOT NULL,
  name text NOT NULL,
  path text NOT NULL,
  url text,
  default_target_branch text NOT NULL,
  setup_script text,
  cleanup_script text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  runs_on text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT repos_name_key UNIQUE (project_id, name),
  CONSTRAINT repos_number_key UNIQUE (number),
  CONSTRAINT repos_pkey PRIMARY KEY (id),
  CONSTRAINT repos_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);

CREATE TABLE review_comments (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  author text NOT NULL,
  author_id text NOT NULL,
  stored_by text NOT NULL,
  path text NOT NULL,
  side text NOT NULL,
  line integer NOT NULL,
  end_line integer NOT NULL,
  lines text NOT NULL,
  text text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  sent_at timestamp(3) with time zone,
  turn_job_id uuid,
  queued_as uuid,
  author_type text NOT NULL DEFAULT 'human'::text,
  severity text,
  CONSTRAINT review_comments_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT review_comments_author_type_check CHECK ((author_type = ANY (ARRAY['human'::text, 'agent'::text]))),
  CONSTRAINT review_comments_check CHECK ((end_line >= line)),
  CONSTRAINT review_comments_line_check CHECK ((line > 0)),
  CONSTRAINT review_comments_number_key UNIQUE (number),
  CONSTRAINT review_comments_pkey PRIMARY KEY (id),
  CONSTRAINT review_comments_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT review_comments_severity_check CHECK ((severity = ANY (ARRAY['critical'::text, 'major'::text, 'minor'::text, 'nit'::text]))),
  CONSTRAINT review_comments_side_check CHECK ((side = ANY (ARRAY['old'::text, 'new'::text])))
);

CREATE TABLE runners (
  runner_id text NOT NULL,
  incarnation uuid NOT NULL,
  role text NOT NULL,
  address text NOT NULL,
  version text NOT NULL,
  slots integer NOT NULL,
  executors jsonb NOT NULL DEFAULT '[]'::jsonb,
  isolation text NOT NULL,
  limits jsonb NOT NULL,
  secret_print text NOT NULL,
  is_draining boolean NOT NULL DEFAULT false,
  entered_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  left_at timestamp(3) with time zone,
  labels text[] NOT NULL DEFAULT '{}'::text[],
  life text NOT NULL DEFAULT 'long'::text,
  CONSTRAINT runners_life_check CHECK ((life = ANY (ARRAY['long'::text, 'attempt'::text, 'keeper'::text]))),
  CONSTRAINT runners_pkey PRIMARY KEY (runner_id),
  CONSTRAINT runners_role_check CHECK ((role = ANY (ARRAY['all'::text, 'api'::text, 'runner'::text]))),
  CONSTRAINT runners_slots_check CHECK ((slots >= 0))
);

CREATE TABLE schema_migrations (
  id integer NOT NULL DEFAULT nextval('schema_migrations_id_seq'::regclass),
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL,
  CONSTRAINT "PK_62441bec32630ced9e4cccae336" PRIMARY KEY (id)
);

CREATE TABLE service_tokens (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  public_part text NOT NULL,
  token_hash bytea NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  project_ids uuid[],
  worker_id uuid,
  created_by text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  CONSTRAINT service_tokens_hash_key UNIQUE (token_hash),
  CONSTRAINT service_tokens_number_key UNIQUE (number),
  CONSTRAINT service_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT service_tokens_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  executor text NOT NULL,
  variant text,
  agent_session_id text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  role text NOT NULL DEFAULT 'author'::text,
  CONSTRAINT sessions_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT sessions_role_check CHECK ((role = ANY (ARRAY['author'::text, 'reviewer'::text])))
);

CREATE TABLE stored_bytes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  holder text NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT stored_bytes_pkey PRIMARY KEY (id)
);

CREATE TABLE task_counts (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  board uuid NOT NULL,
  is_deleted boolean NOT NULL,
  stage text NOT NULL,
  block bigint NOT NULL,
  tasks bigint NOT NULL,
  CONSTRAINT task_counts_pkey PRIMARY KEY (id)
);

CREATE TABLE task_watchers (
  watcher text NOT NULL,
  task_id uuid NOT NULL,
  since timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT task_watchers_pkey PRIMARY KEY (watcher, task_id),
  CONSTRAINT task_watchers_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE tasks (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  project_id uuid,
  parent_task_id uuid,
  title text NOT NULL,
  description text,
  stage text NOT NULL DEFAULT 'INIT'::text,
  is_blocked boolean NOT NULL DEFAULT false,
  status text NOT NULL GENERATED ALWAYS AS (
CASE stage
    WHEN 'INIT'::text THEN 'todo'::text
    WHEN 'VERIFY'::text THEN 'inreview'::text
    WHEN 'DONE'::text THEN 'done'::text
    WHEN 'CANCELLED'::text THEN 'cancelled'::text
    ELSE 'inprogress'::text
END) STORED,
  taskflow_status text NOT NULL GENERATED ALWAYS AS (
CASE
    WHEN (stage = 'DONE'::text) THEN 'completed'::text
    WHEN (stage = 'CANCELLED'::text) THEN 'cancelled'::text
    WHEN is_blocked THEN 'blocked'::text
    WHEN (stage = 'INIT'::text) THEN 'pending'::text
    WHEN (stage = 'VERIFY'::text) THEN 'review'::text
    ELSE 'in_progress'::text
END) STORED,
  assignee_worker_id uuid,
  assignee_text text,
  created_by_worker_id uuid,
  made_by_attempt_id uuid,
  stored_by text,
  priority text,
  progress_percent integer NOT NULL DEFAULT 0,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  due_date timestamp(3) with time zone,
  started_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  executors text[] NOT NULL DEFAULT '{}'::text[],
  archived_at timestamp(3) with time zone,
  CONSTRAINT tasks_assignee_worker_id_fkey FOREIGN KEY (assignee_worker_id) REFERENCES workers(id),
  CONSTRAINT tasks_created_by_worker_id_fkey FOREIGN KEY (created_by_worker_id) REFERENCES workers(id),
  CONSTRAINT tasks_number_key UNIQUE (number),
  CONSTRAINT tasks_parent_task_id_fkey FOREIGN KEY (parent_task_id) REFERENCES tasks(id),
  CONSTRAINT tasks_pkey PRIMARY KEY (id),
  CONSTRAINT tasks_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 100))),
  CONSTRAINT tasks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  CONSTRAINT tasks_stage_check CHECK ((stage = ANY (ARRAY['INIT'::text, 'GATHER'::text, 'ANALYZE'::text, 'PLAN'::text, 'APPLY'::text, 'VERIFY'::text, 'DONE'::text, 'CANCELLED'::text])))
);

CREATE TABLE thought_heads (
  task_id uuid NOT NULL,
  "position" bigint NOT NULL,
  record_id uuid NOT NULL,
  hash text NOT NULL,
  CONSTRAINT thought_heads_pkey PRIMARY KEY (task_id, "position"),
  CONSTRAINT thought_heads_record_key UNIQUE (record_id),
  CONSTRAINT thought_heads_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);

CREATE TABLE thought_records (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  task_id uuid NOT NULL,
  "position" bigint NOT NULL,
  type text NOT NULL,
  agent_id text NOT NULL,
  recorded_by text NOT NULL,
  content text NOT NULL,
  session_id text,
  "timestamp" text NOT NULL,
  version smallint NOT NULL,
  prev_hash text NOT NULL,
  hash text NOT NULL,
  CONSTRAINT thought_records_number_key UNIQUE (number),
  CONSTRAINT thought_records_pkey PRIMARY KEY (id),
  CONSTRAINT thought_records_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id),
  CONSTRAINT thought_records_type_check CHECK ((type = ANY (ARRAY['plan'::text, 'analysis'::text, 'decision'::text, 'reflection'::text])))
);

CREATE TABLE tool_invocations (
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  toolset text NOT NULL,
  tool text NOT NULL,
  principal_id text NOT NULL,
  actor text NOT NULL,
  code text,
  duration_ms real NOT NULL,
  called_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT tool_invocations_pkey PRIMARY KEY (number)
);

CREATE TABLE turn_authors (
  attempt_id uuid NOT NULL,
  worker_id uuid,
  name text NOT NULL,
  type text NOT NULL,
  groups text[] NOT NULL,
  charged_to text NOT NULL,
  CONSTRAINT turn_authors_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id) ON DELETE CASCADE,
  CONSTRAINT turn_authors_pkey PRIMARY KEY (attempt_id),
  CONSTRAINT turn_authors_type_check CHECK ((type = ANY (ARRAY['human'::text, 'agent'::text, 'system'::text])))
);

CREATE TABLE turn_clock (
  id smallint NOT NULL DEFAULT 1,
  tag bigint NOT NULL,
  CONSTRAINT turn_clock_id_check CHECK ((id = 1)),
  CONSTRAINT turn_clock_pkey PRIMARY KEY (id)
);

CREATE TABLE turn_jobs (
  job_id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  executor text NOT NULL,
  priority smallint NOT NULL DEFAULT 0,
  home text NOT NULL DEFAULT ''::text,
  traceparent text,
  queued_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  taken_at timestamp(3) with time zone,
  runner_id text,
  incarnation uuid,
  labels text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT count_turns TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT turn_jobs_holder CHECK ((num_nulls(taken_at, runner_id, incarnation) = ANY (ARRAY[0, 3]))),
  CONSTRAINT turn_jobs_pkey PRIMARY KEY (job_id)
);

CREATE TABLE turn_shares (
  project_id uuid NOT NULL,
  waiting bigint NOT NULL DEFAULT 0,
  running bigint NOT NULL DEFAULT 0,
  tag bigint NOT NULL DEFAULT 0,
  CONSTRAINT turn_shares_pkey PRIMARY KEY (project_id)
);

CREATE TABLE webhook_bodies (
  digest bytea NOT NULL,
  received_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhook_bodies_pkey PRIMARY KEY (digest)
);

CREATE TABLE workers (
  id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  handle text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  user_id text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workers_handle_check CHECK ((handle ~ '^@[a-z0-9_-]{1,49}$'::text)),
  CONSTRAINT workers_handle_key UNIQUE (handle),
  CONSTRAINT workers_number_key UNIQUE (number),
  CONSTRAINT workers_pkey PRIMARY KEY (id),
  CONSTRAINT workers_type_check CHECK ((type = ANY (ARRAY['human'::text, 'agent'::text]))),
  CONSTRAINT workers_user_key UNIQUE (user_id)
);

CREATE TABLE workspace_snapshots (
  attempt_id uuid NOT NULL,
  repo_name text NOT NULL,
  base_commit text NOT NULL,
  head text NOT NULL,
  work text,
  bundle bytea,
  bytes integer NOT NULL,
  is_too_large boolean NOT NULL,
  fingerprint text NOT NULL,
  remote text,
  remote_failure text,
  stored_by text,
  saved_by text NOT NULL,
  saved_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT workspace_snapshots_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id),
  CONSTRAINT workspace_snapshots_pkey PRIMARY KEY (attempt_id, repo_name)
);

CREATE INDEX agent_reviews_of_attempt ON public.agent_reviews USING btree (attempt_id, number DESC);
CREATE INDEX agent_session_files_by_attempt ON public.agent_session_files USING btree (attempt_id);
CREATE INDEX answers_by_terms ON public.executions USING gin (terms_of(number, project_id, final_message, NULL::text[])) WITH (fastupdate=off) WHERE (final_message IS NOT NULL);
CREATE INDEX approval_rules_newest ON public.approval_rules USING btree (project_id, number DESC);
CREATE UNIQUE INDEX approvals_of_delivery ON public.approvals USING btree (attempt_id, tool_name) WHERE ((status = 'pending'::text) AND (delivery IS NOT NULL));
CREATE INDEX approvals_of_execution ON public.approvals USING btree (execution_id) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX approvals_one_open_host ON public.approvals USING btree (execution_id, requested_host) WHERE ((status = 'pending'::text) AND (requested_host IS NOT NULL));
CREATE INDEX approvals_pending ON public.approvals USING btree (project_id, number) WHERE (status = 'pending'::text);
CREATE INDEX attempt_repos_by_repo ON public.attempt_repos USING btree (repo_id);
CREATE INDEX attempts_home ON public.attempts USING btree (runner_id) WHERE (runner_id IS NOT NULL);
CREATE INDEX attempts_newest ON public.attempts USING btree (task_id, created_at DESC, id);
CREATE INDEX attempts_resolving ON public.attempts USING btree (number) WHERE resolving;
CREATE INDEX audit_log_by_action ON public.audit_log USING btree (action, number DESC);
CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (actor, number DESC);
CREATE INDEX audit_log_by_project ON public.audit_log USING btree (project_id, number DESC);
CREATE INDEX audit_log_by_task ON public.audit_log USING btree (task_id, number DESC);
CREATE INDEX check_runs_of_attempt ON public.check_runs USING btree (attempt_id, number DESC);
CREATE INDEX comments_by_terms ON public.review_comments USING gin (terms_of(number, project_id, text, NULL::text[])) WITH (fastupdate=off);
CREATE INDEX continuations_by_attempt ON public.continuations USING btree (attempt_id, number DESC);
CREATE INDEX continuations_by_job ON public.continuations USING btree (job_id);
CREATE INDEX continuations_by_session ON public.continuations USING btree (session_id);
CREATE INDEX continuations_due ON public.continuations USING btree (due_at) WHERE (state = ANY (ARRAY['due'::text, 'queued'::text]));
CREATE INDEX continuations_exhausted ON public.continuations USING btree (project_id, number) WHERE ((state = 'exhausted'::text) AND (NOT is_past));
CREATE INDEX deliveries_by_attempt ON public.deliveries USING btree (attempt_id, number);
CREATE INDEX deliveries_by_project ON public.deliveries USING btree (project_id, number);
CREATE UNIQUE INDEX deliveries_one_landing ON public.deliveries USING btree (attempt_id, repo_id) WHERE (state = ANY (ARRAY['landing'::text, 'undoing'::text]));
CREATE INDEX deliveries_that_closed_tasks ON public.deliveries USING btree (task_id) WHERE moved_task;
CREATE INDEX events_by_project ON public.events USING btree (project_id, number);
CREATE UNIQUE INDEX executions_by_token ON public.executions USING btree (token_hash) WHERE ((status = 'running'::text) AND (token_hash IS NOT NULL));
CREATE INDEX executions_failed_by_project ON public.executions USING btree (project_id, number) WHERE ((status = ANY (ARRAY['failed'::text, 'killed'::text])) AND (run_reason <> 'devserver'::text));
CREATE INDEX executions_live_by_principal ON public.executions USING btree (started_by) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (run_reason <> 'devserver'::text));
CREATE INDEX executions_live_by_project ON public.executions USING btree (project_id) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (run_reason <> 'devserver'::text));
CREATE INDEX executions_live_by_task ON public.executions USING btree (task_id) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (run_reason <> 'devserver'::text));
CREATE INDEX executions_newest ON public.executions USING btree (attempt_id, number DESC) WHERE (run_reason <> 'devserver'::text);
CREATE UNIQUE INDEX executions_one_live ON public.executions USING btree (attempt_id) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (run_reason <> 'devserver'::text));
CREATE INDEX executions_running ON public.executions USING btree (runner_id) WHERE (status = 'running'::text);
CREATE INDEX executions_turns ON public.executions USING btree (session_id, number DESC) WHERE (run_reason = ANY (ARRAY['codingagent'::text, 'review'::text]));
CREATE INDEX executions_usage_of_task ON public.executions USING btree (task_id) WHERE ((run_reason = ANY (ARRAY['codingagent'::text, 'review'::text])) AND (COALESCE((input_tokens)::double precision, (cached_input_tokens)::double precision, (output_tokens)::double precision, cost_usd) IS NOT NULL));
CREATE INDEX executions_with_usage ON public.executions USING btree (project_id, completed_at) WHERE ((input_tokens IS NOT NULL) OR (output_tokens IS NOT NULL) OR (cost_usd IS NOT NULL));
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (state, updated_at);
CREATE INDEX messages_by_terms ON public.executions USING gin (terms_of(number, project_id, prompt, NULL::text[])) WITH (fastupdate=off) WHERE ((run_reason = 'codingagent'::text) AND (NOT is_task_text));
CREATE INDEX page_sessions_by_end ON public.page_sessions USING btree (expires_at);
CREATE INDEX page_sessions_by_person ON public.page_sessions USING btree (person) WHERE (person IS NOT NULL);
CREATE INDEX page_sessions_to_renew ON public.page_sessions USING btree (renew_at) WHERE (renew_at IS NOT NULL);
CREATE INDEX project_groups_by_name ON public.project_groups USING btree (group_name);
CREATE INDEX project_members_by_worker ON public.project_members USING btree (worker_id);
CREATE INDEX projects_newest ON public.projects USING btree (number DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX projects_origin ON public.projects USING btree (origin_system, origin_id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX projects_slug_key ON public.projects USING btree (slug) WHERE (deleted_at IS NULL);
CREATE INDEX pull_requests_by_attempt ON public.pull_requests USING btree (attempt_id, number);
CREATE UNIQUE INDEX pull_requests_one_open ON public.pull_requests USING btree (attempt_id, repo_id) WHERE (state = ANY (ARRAY['open'::text, 'queued'::text]));
CREATE INDEX pull_requests_to_sync ON public.pull_requests USING btree (next_sync_at) WHERE (next_sync_at IS NOT NULL);
CREATE INDEX queued_messages_by_attempt ON public.queued_messages USING btree (attempt_id);
CREATE INDEX queued_messages_of_session ON public.queued_messages USING btree (session_id, number);
CREATE INDEX review_comments_of_attempt ON public.review_comments USING btree (attempt_id, number);
CREATE INDEX review_comments_queued ON public.review_comments USING btree (queued_as) WHERE (queued_as IS NOT NULL);
CREATE INDEX service_tokens_in_use ON public.service_tokens USING btree (number) WHERE (revoked_at IS NULL);
CREATE INDEX sessions_newest ON public.sessions USING btree (attempt_id, created_at DESC, id);
CREATE INDEX stored_bytes_of_holder ON public.stored_bytes USING btree (holder);
CREATE INDEX task_counts_of_board ON public.task_counts USING btree (board, is_deleted, stage, block);
CREATE INDEX task_watchers_newest ON public.task_watchers USING btree (watcher, since DESC);
CREATE INDEX tasks_by_project_stage ON public.tasks USING btree (project_id, stage, number) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX tasks_by_stage ON public.tasks USING btree (stage, number) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX tasks_by_taskflow_status ON public.tasks USING btree (project_id, taskflow_status, number DESC) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX tasks_by_terms ON public.tasks USING gin (task_terms(number, project_id, status, title, description, priority, assignee_text, assignee_worker_id, tags, executors, (archived_at IS NOT NULL))) WITH (fastupdate=off) WHERE (deleted_at IS NULL);
CREATE INDEX tasks_children ON public.tasks USING btree (parent_task_id) WHERE (deleted_at IS NULL);
CREATE INDEX tasks_deleted ON public.tasks USING btree (project_id, deleted_at DESC, number DESC) WHERE (deleted_at IS NOT NULL);
CREATE INDEX tasks_hidden ON public.tasks USING btree (number) WHERE ((deleted_at IS NOT NULL) OR (archived_at IS NOT NULL));
CREATE INDEX tasks_hidden_by_project ON public.tasks USING btree (project_id, number) WHERE ((deleted_at IS NOT NULL) OR (archived_at IS NOT NULL));
CREATE INDEX tasks_hidden_by_project_stage ON public.tasks USING btree (project_id, stage, number) WHERE ((deleted_at IS NOT NULL) OR (archived_at IS NOT NULL));
CREATE INDEX tasks_hidden_by_stage ON public.tasks USING btree (stage, number) WHERE ((deleted_at IS NOT NULL) OR (archived_at IS NOT NULL));
CREATE INDEX tasks_in_order ON public.tasks USING btree (number) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX tasks_newest ON public.tasks USING btree (project_id, number) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX tasks_newest_by_status ON public.tasks USING btree (project_id, status, number) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL));
CREATE INDEX tasks_open ON public.tasks USING btree (number) WHERE ((deleted_at IS NULL) AND (archived_at IS NULL) AND (stage <> ALL (ARRAY['DONE'::text, 'CANCELLED'::text])));
CREATE INDEX thought_records_of_task ON public.thought_records USING btree (task_id, number);
CREATE INDEX tool_invocations_by_tool ON public.tool_invocations USING btree (toolset, tool, called_at);
CREATE INDEX turn_jobs_homed ON public.turn_jobs USING btree (home) WHERE ((taken_at IS NULL) AND (home <> ''::text));
CREATE INDEX turn_jobs_of_attempt ON public.turn_jobs USING btree (attempt_id);
CREATE INDEX turn_jobs_taken ON public.turn_jobs USING btree (executor) WHERE (taken_at IS NOT NULL);
CREATE INDEX turn_jobs_waiting ON public.turn_jobs USING btree (project_id, priority DESC, number) WHERE (taken_at IS NULL);
CREATE INDEX turn_shares_next ON public.turn_shares USING btree (tag, project_id) WHERE (waiting > 0);
CREATE INDEX webhook_bodies_by_age ON public.webhook_bodies USING btree (received_at);

CREATE VIEW attempt_summaries AS
 SELECT a.id AS attempt_id,
    a.task_id,
    a.project_id,
    a.branch AS workspace_branch,
    a.workspace_state,
    a.runner_id,
    a.created_at,
    GREATEST(a.updated_at, e.updated_at) AS updated_at,
    s.id AS latest_session_id,
    s.executor AS latest_session_executor,
    e.id AS latest_execution_process_id,
    e.failure_summary,
    e.exit_code,
    e.stop_requested_at,
    e.run_reason,
    e.status AS execution_status,
    e.updated_at AS execution_updated_at,
        CASE
            WHEN e.id IS NULL THEN 'idle'::text
            WHEN e.status = ANY (ARRAY['queued'::text, 'running'::text]) THEN 'running'::text
            WHEN e.status = 'completed'::text THEN 'completed'::text
            ELSE 'failed'::text
        END AS state,
        CASE
            WHEN e.id IS NULL THEN COALESCE(a.delivery_state, 'none'::text)
            WHEN a.delivery_state = ANY (ARRAY['pr_open'::text, 'pr_queued'::text]) THEN a.delivery_state
            WHEN e.status = ANY (ARRAY['queued'::text, 'running'::text]) THEN 'running'::text
            WHEN e.updated_at <= a.delivery_state_at AND a.delivery_state <> 'ready'::text THEN a.delivery_state
            WHEN a.would_conflict THEN 'conflicted'::text
            WHEN e.status = 'completed'::text THEN 'ready'::text
            ELSE 'failed'::text
        END AS delivery_state,
    a.pr_url,
        CASE
            WHEN (( SELECT p.checks
               FROM projects p
              WHERE p.id = a.project_id)) = 'off'::text THEN NULL::text
            WHEN a.checks_state IS NOT NULL THEN a.checks_state
            WHEN (EXISTS ( SELECT
               FROM attempt_repos r
                 JOIN repo_checks c ON c.repo_id = r.repo_id AND c.checks <> '[]'::jsonb
              WHERE r.attempt_id = a.id)) THEN 'pending'::text
            ELSE NULL::text
        END AS checks_state
   FROM attempts a
     LEFT JOIN LATERAL ( SELECT id,
            executor
           FROM sessions
          WHERE attempt_id = a.id AND role = 'author'::text
          ORDER BY created_at DESC, id
         LIMIT 1) s ON true
     LEFT JOIN LATERAL ( SELECT id,
            status,
            failure_summary,
            exit_code,
            stop_requested_at,
            run_reason,
            updated_at
           FROM executions
          WHERE attempt_id = a.id AND run_reason <> 'devserver'::text
          ORDER BY (status = ANY (ARRAY['queued'::text, 'running'::text])) DESC, (run_reason = ANY (ARRAY['check'::text, 'review'::text])), number DESC
         LIMIT 1) e ON true;

CREATE VIEW kept_tasks AS
 SELECT id
   FROM tasks t
  WHERE deleted_at IS NULL OR deleted_at > (now() - '24:00:00'::interval) AND (project_id IS NULL OR (EXISTS ( SELECT
           FROM projects p
          WHERE p.id = t.project_id AND p.deleted_at IS NULL)));

CREATE VIEW listed_tasks AS
 SELECT id,
    number,
    project_id,
    parent_task_id,
    title,
    description,
    stage,
    is_blocked,
    status,
    taskflow_status,
    assignee_worker_id,
    assignee_text,
    created_by_worker_id,
    made_by_attempt_id,
    stored_by,
    priority,
    progress_percent,
    tags,
    due_date,
    started_at,
    completed_at,
    created_at,
    updated_at,
    deleted_at,
    executors,
    archived_at
   FROM tasks
  WHERE deleted_at IS NULL AND archived_at IS NULL;

CREATE VIEW live_tasks AS
 SELECT id,
    number,
    project_id,
    parent_task_id,
    title,
    description,
    stage,
    is_blocked,
    status,
    taskflow_status,
    assignee_worker_id,
    assignee_text,
    created_by_worker_id,
    made_by_attempt_id,
    stored_by,
    priority,
    progress_percent,
    tags,
    due_date,
    started_at,
    completed_at,
    created_at,
    updated_at,
    deleted_at,
    executors,
    archived_at
   FROM tasks
  WHERE deleted_at IS NULL;

CREATE VIEW waiting_turns AS
 SELECT
        CASE
            WHEN labels = '{}'::text[] THEN 'default'::text
            ELSE array_to_string(labels, ','::text)
        END AS pool,
    executor,
    count(*)::integer AS waiting
   FROM turn_jobs
  WHERE taken_at IS NULL AND home = ''::text
  GROUP BY labels, executor;

CREATE OR REPLACE FUNCTION public.add_stored_bytes(project uuid, principal text, change bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  of_holder text;
BEGIN
  IF change = 0 THEN RETURN; END IF;
  FOREACH of_holder IN ARRAY array_remove(ARRAY['project ' || project, 'principal ' || principal], NULL) LOOP
    UPDATE stored_bytes SET bytes = bytes + change
    WHERE id = (SELECT id FROM stored_bytes WHERE holder = of_holder LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN
      INSERT INTO stored_bytes (holder, bytes) VALUES (of_holder, change);
    END IF;
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION public.add_to_task_counts(project uuid, of_deleted boolean, of_stage text, of_block bigint, change bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  none CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  every CONSTANT uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  of_board uuid;
  free bigint;
  left_over bigint;
BEGIN
  FOREACH of_board IN ARRAY ARRAY[coalesce(project, none), every] LOOP
    SELECT id INTO free FROM task_counts
    WHERE board = of_board AND is_deleted = of_deleted AND stage = of_stage AND block = of_block
    LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF free IS NULL THEN
      INSERT INTO task_counts (board, is_deleted, stage, block, tasks)
      VALUES (of_board, of_deleted, of_stage, of_block, change);
    ELSE
      UPDATE task_counts SET tasks = tasks + change WHERE id = free RETURNING tasks INTO left_over;
      IF left_over = 0 THEN DELETE FROM task_counts WHERE id = free; END IF;
    END IF;
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION public.blocks_of_walk(newest bigint, oldest bigint, OUT name text, OUT first bigint, OUT last bigint)
 RETURNS SETOF record
 LANGUAGE sql
 IMMUTABLE STRICT
BEGIN ATOMIC
 SELECT ('s'::text || small.small),
     (small.small * 4096),
     LEAST(((small.small * 4096) + 4095), blocks_of_walk.newest) AS "least"
    FROM generate_series((blocks_of_walk.newest / 4096), GREATEST((blocks_of_walk.oldest / 4096), ((blocks_of_walk.newest / 4096) - 31)), ('-1'::integer)::bigint) small(small)
 UNION ALL
  SELECT ('l'::text || large.large),
     (large.large * 262144),
     LEAST(((large.large * 262144) + 262143), ((((blocks_of_walk.newest / 4096) - 31) * 4096) - 1)) AS "least"
    FROM generate_series((((blocks_of_walk.newest / 4096) - 32) >> 6), (blocks_of_walk.oldest / 262144), ('-1'::integer)::bigint) large(large);
END;

CREATE OR REPLACE FUNCTION public.count_added_execution_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM add_stored_bytes(project_id, started_by, sum(record_bytes(prompt))::bigint)
  FROM added
  GROUP BY project_id, started_by;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_added_task_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM add_stored_bytes(project_id, stored_by, sum(record_bytes(title, description))::bigint)
  FROM added
  GROUP BY project_id, stored_by;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_approval_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  approval approvals;
BEGIN
  IF TG_OP = 'DELETE' THEN approval := OLD; ELSE approval := NEW; END IF;
  PERFORM add_stored_bytes(
    approval.project_id,
    (SELECT started_by FROM executions WHERE id = approval.execution_id),
    CASE WHEN TG_OP = 'DELETE' THEN -1 ELSE 1 END * record_bytes(approval.summary, approval.input::text)
  );
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_comment_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM add_stored_bytes(OLD.project_id, OLD.stored_by, -record_bytes(OLD.path, OLD.lines, OLD.text));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM add_stored_bytes(NEW.project_id, NEW.stored_by, record_bytes(NEW.path, NEW.lines, NEW.text));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_execution_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM add_stored_bytes(NEW.project_id, NEW.started_by,
    NEW.log_bytes - OLD.log_bytes
    + coalesce(octet_length(NEW.final_message), 0) - coalesce(octet_length(OLD.final_message), 0));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_project_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM add_stored_bytes(OLD.id, OLD.stored_by, -record_bytes(OLD.name, OLD.description));
  END IF;
  PERFORM add_stored_bytes(NEW.id, NEW.stored_by, record_bytes(NEW.name, NEW.description));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_repo_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  owner text;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    SELECT stored_by INTO owner FROM projects WHERE id = OLD.project_id;
    PERFORM add_stored_bytes(OLD.project_id, owner, -record_bytes(OLD.setup_script, OLD.cleanup_script));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    SELECT stored_by INTO owner FROM projects WHERE id = NEW.project_id;
    PERFORM add_stored_bytes(NEW.project_id, owner, record_bytes(NEW.setup_script, NEW.cleanup_script));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_snapshot_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  project uuid;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    SELECT project_id INTO project FROM attempts WHERE id = OLD.attempt_id;
    PERFORM add_stored_bytes(project, OLD.stored_by, -OLD.bytes);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    SELECT project_id INTO project FROM attempts WHERE id = NEW.attempt_id;
    PERFORM add_stored_bytes(project, NEW.stored_by, NEW.bytes);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_task_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  thought record;
BEGIN
  PERFORM add_stored_bytes(OLD.project_id, OLD.stored_by, -record_bytes(OLD.title, OLD.description));
  PERFORM add_stored_bytes(NEW.project_id, NEW.stored_by, record_bytes(NEW.title, NEW.description));
  IF OLD.project_id IS DISTINCT FROM NEW.project_id THEN
    SELECT coalesce(sum(record_bytes(content, agent_id, session_id)), 0)::bigint AS bytes INTO thought
    FROM thought_records WHERE task_id = NEW.id;
    PERFORM add_stored_bytes(OLD.project_id, NULL, -thought.bytes);
    PERFORM add_stored_bytes(NEW.project_id, NULL, thought.bytes);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_tasks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_task_counts(project_id, deleted_at IS NOT NULL OR archived_at IS NOT NULL, stage, number / 2048, count(*))
    FROM added GROUP BY project_id, deleted_at IS NOT NULL OR archived_at IS NOT NULL, stage, number / 2048;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_to_task_counts(project_id, deleted_at IS NOT NULL OR archived_at IS NOT NULL, stage, number / 2048, -count(*))
    FROM removed GROUP BY project_id, deleted_at IS NOT NULL OR archived_at IS NOT NULL, stage, number / 2048;
  ELSE
    PERFORM add_to_task_counts(project_id, is_deleted, stage, block, sum(change)::bigint)
    FROM (
      SELECT project_id, deleted_at IS NOT NULL OR archived_at IS NOT NULL, stage, number / 2048, -1 FROM removed
      UNION ALL
      SELECT project_id, deleted_at IS NOT NULL OR archived_at IS NOT NULL, stage, number / 2048, 1 FROM added
    ) moved (project_id, is_deleted, stage, block, change)
    GROUP BY project_id, is_deleted, stage, block HAVING sum(change) <> 0;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_turns()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO turn_shares AS s (project_id, waiting, tag)
    VALUES (NEW.project_id, 1, (SELECT tag FROM turn_clock))
    ON CONFLICT (project_id) DO UPDATE
    SET waiting = s.waiting + 1,
      tag = CASE WHEN s.waiting = 0 THEN greatest(s.tag, excluded.tag) ELSE s.tag END;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE turn_shares
    SET waiting = waiting - (OLD.taken_at IS NULL)::int, running = running - (OLD.taken_at IS NOT NULL)::int
    WHERE project_id = OLD.project_id;
  ELSIF (OLD.taken_at IS NULL) <> (NEW.taken_at IS NULL) THEN
    UPDATE turn_shares
    SET waiting = waiting + CASE WHEN NEW.taken_at IS NULL THEN 1 ELSE -1 END,
      running = running + CASE WHEN NEW.taken_at IS NULL THEN -1 ELSE 1 END,
      tag = tag + CASE WHEN NEW.taken_at IS NULL THEN -1 ELSE 1 END
    WHERE project_id = NEW.project_id;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.hold_audit_numbers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    'audit_log'::regclass::oid::int, coalesce(pg_sequence_last_value('audit_log_number_seq'), 0)::bit(32)::int
  );
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.hold_event_numbers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    'events'::regclass::oid::int, coalesce(pg_sequence_last_value('events_number_seq'), 0)::bit(32)::int
  );
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_thought_head()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO thought_heads (task_id, position, record_id, hash)
  SELECT NEW.task_id, coalesce(max(h.position), 0) + 1, NEW.id, NEW.hash
  FROM thought_heads h WHERE h.task_id = NEW.task_id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.measure_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.log_bytes := greatest(0, coalesce((SELECT sum(bytes) FROM log_heads WHERE attempt_id = NEW.attempt_id), 0)
    - coalesce((SELECT sum(log_bytes) FROM executions WHERE attempt_id = NEW.attempt_id AND id <> NEW.id), 0));
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.note_executors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE tasks t
  SET executors = t.executors || ARRAY(SELECT unnest(n.executors) EXCEPT SELECT unnest(t.executors) ORDER BY 1)
  FROM (
    SELECT a.task_id, array_agg(DISTINCT s.executor) AS executors
    FROM added s
    JOIN attempts a ON a.id = s.attempt_id
    WHERE s.role = 'author'
    GROUP BY a.task_id
  ) n
  WHERE t.id = n.task_id AND NOT n.executors <@ t.executors;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.own_projects(who text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
  SELECT m.project_id FROM project_members m WHERE m.worker_id = left(who, 36)::uuid
  UNION
  SELECT g.project_id FROM project_groups g WHERE project_role(g.project_id, who) IS NOT NULL
$function$;

CREATE OR REPLACE FUNCTION public.project_role(project uuid, who text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE WHEN who IS NULL THEN 'owner' ELSE coalesce(
    (
      SELECT r.role FROM (
        SELECT m.role FROM project_members m WHERE m.project_id = project AND m.worker_id = left(who, 36)::uuid
        UNION ALL
        SELECT g.role FROM project_groups g
        WHERE length(who) > 36 AND g.project_id = project
          AND g.group_name = ANY (string_to_array(substr(who, 38), E'\n'))
        UNION ALL
        SELECT 'owner'
        WHERE length(who) > 36 AND E'\t' = ANY (string_to_array(substr(who, 38), E'\n'))
          AND EXISTS (SELECT 1 FROM project_groups g WHERE g.project_id = project)
          AND NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
      ) r
      ORDER BY array_position(ARRAY['owner', 'maintainer', 'member', 'viewer'], r.role) LIMIT 1
    ),
    CASE
      WHEN NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
        AND NOT EXISTS (SELECT 1 FROM project_groups g WHERE g.project_id = project)
      THEN 'member'
    END) END
$function$;

CREATE OR REPLACE FUNCTION public.prune_audit(keep_days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  pruned bigint;
BEGIN
  IF keep_days < 30 THEN
    RAISE EXCEPTION 'audit rows are kept for at least 30 days';
  END IF;
  DELETE FROM audit_log
  WHERE number IN (
    SELECT oldest.number
    FROM (SELECT number, created_at FROM audit_log ORDER BY number LIMIT most) oldest
    WHERE oldest.created_at < now() - keep_days * interval '1 day'
  );
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $function$;

CREATE OR REPLACE FUNCTION public.record_bytes(VARIADIC texts text[])
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT 1024 + octet_length(array_to_string(texts, ''))::bigint
$function$;

CREATE OR REPLACE FUNCTION public.stored_bytes_of(project uuid, principal text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(sum(bytes), 0)::bigint FROM stored_bytes
  WHERE holder = coalesce('project ' || project, 'principal ' || principal)
$function$;

CREATE OR REPLACE FUNCTION public.task_terms(number bigint, project uuid, status text, title text, description text, priority text, assignee text, assignee_worker uuid, tags text[], executors text[], archived boolean)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT terms_of(number, project, ((title || ' '::text) || COALESCE(description, ''::text)), ((ARRAY[('~'::text || status), ('!'::text || priority), ('>'::text || assignee), ('>'::text || assignee_worker),
         CASE
             WHEN archived THEN '^archived'::text
             ELSE NULL::text
         END] || ARRAY( SELECT ('#'::text || tag.tag)
            FROM unnest(task_terms.tags) tag(tag))) || ARRAY( SELECT ('&'::text || executor.executor)
            FROM unnest(task_terms.executors) executor(executor)))) AS terms_of;
END;

CREATE OR REPLACE FUNCTION public.terms_of(number bigint, project uuid, texts text, signs text[])
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT array_to_tsvector(array_agg(((block.block || '.'::text) || "left"(terms.term, 200)))) AS array_to_tsvector
    FROM (( SELECT unnest.lexeme
            FROM unnest(words_of(terms_of.texts)) unnest(lexeme, positions, weights)
         UNION ALL
          SELECT ('@'::text || COALESCE((terms_of.project)::text, ''::text))
         UNION ALL
          SELECT sign.sign
            FROM unnest(terms_of.signs) sign(sign)
           WHERE (sign.sign IS NOT NULL)) terms(term)
      CROSS JOIN unnest(ARRAY[('s'::text || (terms_of.number / 4096)), ('l'::text || (terms_of.number / 262144))]) block(block));
END;

CREATE OR REPLACE FUNCTION public.words_of(texts text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT to_tsvector('pg_catalog.simple', regexp_replace(left(texts, 10000), '[[:punct:]]+', ' ', 'g'))
$function$;

CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF bytes, stored_by ON agent_session_files FOR EACH ROW EXECUTE FUNCTION count_snapshot_bytes();

CREATE TRIGGER count_bytes AFTER INSERT OR DELETE ON approvals FOR EACH ROW EXECUTE FUNCTION count_approval_bytes();

CREATE TRIGGER hold_numbers BEFORE INSERT ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION hold_audit_numbers();

CREATE TRIGGER hold_numbers BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION hold_event_numbers();

CREATE TRIGGER count_added_bytes AFTER INSERT ON executions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_execution_bytes();

CREATE TRIGGER count_bytes AFTER UPDATE OF status, final_message, log_bytes ON executions FOR EACH ROW EXECUTE FUNCTION count_execution_bytes();

CREATE TRIGGER measure_log BEFORE UPDATE OF status ON executions FOR EACH ROW WHEN ((old.status = ANY (ARRAY['queued'::text, 'running'::text])) AND (new.status <> ALL (ARRAY['queued'::text, 'running'::text]))) EXECUTE FUNCTION measure_log();

CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF name, description, stored_by ON projects FOR EACH ROW EXECUTE FUNCTION count_project_bytes();

CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF setup_script, cleanup_script ON repos FOR EACH ROW EXECUTE FUNCTION count_repo_bytes();

CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF text ON review_comments FOR EACH ROW EXECUTE FUNCTION count_comment_bytes();

CREATE TRIGGER note_executors AFTER INSERT ON sessions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_executors();

CREATE TRIGGER count_added_bytes AFTER INSERT ON tasks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_task_bytes();

CREATE TRIGGER count_added_tasks AFTER INSERT ON tasks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER count_bytes AFTER UPDATE OF title, description, project_id, stored_by ON tasks FOR EACH ROW EXECUTE FUNCTION count_task_bytes();

CREATE TRIGGER count_changed_tasks AFTER UPDATE ON tasks REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER count_removed_tasks AFTER DELETE ON tasks REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER keep_head AFTER INSERT ON thought_records FOR EACH ROW EXECUTE FUNCTION keep_thought_head();

CREATE CONSTRAINT TRIGGER count_turns AFTER INSERT OR DELETE OR UPDATE OF taken_at ON turn_jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_turns();

CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF bytes, stored_by ON workspace_snapshots FOR EACH ROW EXECUTE FUNCTION count_snapshot_bytes();
