import type { Row, SourceDatabase } from './source-database.js';

const TIMES = { created_at: ['created_at'], updated_at: ['updated_at'] };
const ATTEMPT = ['workspace_id', 'attempt_id', 'task_attempt_id'];

export type Repository = Row<'id' | 'project' | 'path' | 'name' | 'branch' | 'setup' | 'cleanup'>;
export type Records = ReturnType<typeof readRecords>;

/** What a database holds, in one shape for every age: at first a project was a repository, and an attempt had one
 *  conversation; later projects have repositories, and workspaces sessions. */
export function readRecords(source: SourceDatabase) {
  const attempts = attemptsOf(source);
  return {
    projects: source.rows(['projects'], { id: ['id'], name: ['name'], ...TIMES }),
    attempts,
    repositories: repositoriesOf(source),
    tasks: source.rows(['tasks'], {
      id: ['id'],
      project: ['project_id'],
      title: ['title'],
      description: ['description'],
      status: ['status'],
      parent: ['parent_workspace_id', 'parent_task_attempt'],
      ...TIMES,
    }),
    attemptRepositories: source.rows(['workspace_repos', 'attempt_repos'], {
      attempt: ATTEMPT,
      repository: ['repo_id'],
      target: ['target_branch'],
    }),
    sessions: source.has('sessions')
      ? source.rows(['sessions'], { id: ['id'], attempt: ATTEMPT, executor: ['executor'], ...TIMES })
      : attempts.map((attempt) => ({ ...attempt, attempt: attempt.id })),
    executions: executionsOf(source),
    turns: source.rows(['coding_agent_turns', 'executor_sessions'], {
      execution: ['execution_process_id'],
      prompt: ['prompt'],
      summary: ['summary'],
    }),
    merges: source.rows(['merges'], {
      attempt: ATTEMPT,
      repository: ['repo_id'],
      type: ['merge_type'],
      url: ['pr_url'],
      status: ['pr_status'],
    }),
    pullRequests: source.rows(['pull_requests'], { attempt: ATTEMPT, url: ['pr_url'], status: ['pr_status'] }),
  };
}

const attemptsOf = (source: SourceDatabase) =>
  source.rows(['workspaces', 'task_attempts'], {
    id: ['id'],
    task: ['task_id'],
    name: ['name'],
    branch: ['branch'],
    folder: ['container_ref', 'worktree_path'],
    archived: ['archived'],
    target: ['target_branch', 'base_branch'],
    merge_commit: ['merge_commit'],
    pr_url: ['pr_url'],
    pr_status: ['pr_status'],
    executor: ['executor', 'profile', 'base_coding_agent'],
    ...TIMES,
  });

const executionsOf = (source: SourceDatabase) =>
  source.rows(['execution_processes'], {
    id: ['id'],
    session: source.has('sessions') ? ['session_id'] : ['task_attempt_id'],
    reason: ['run_reason', 'process_type'],
    action: ['executor_action'],
    status: ['status'],
    exit_code: ['exit_code'],
    dropped: ['dropped', 'masked_by_restore'],
    started_at: ['started_at'],
    completed_at: ['completed_at'],
    ...TIMES,
  });

/** Whose age is told by the last of the steps that its schema has gone through. */
export function ageOf(source: SourceDatabase): string {
  const steps = source.rows(['_sqlx_migrations'], { version: ['version'] });
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(String(steps.at(-1)?.version ?? '')) ?? [];
  const shape = source.has('workspaces')
    ? 'workspaces'
    : source.has('repos')
      ? 'attempts and repositories'
      : 'attempts';
  return `${year === undefined ? 'an unknown day' : `${year}-${month}-${day}`} (${steps.length} migrations, ${shape})`;
}

function repositoriesOf(source: SourceDatabase): Repository[] {
  const scripts = { setup: ['setup_script'], cleanup: ['cleanup_script'] };
  if (!source.has('repos'))
    return source
      .rows(['projects'], { id: ['id'], project: ['id'], path: ['git_repo_path'], name: [], branch: [], ...scripts })
      .filter((repository) => repository.path);
  const repos = source.rows(['repos'], {
    id: ['id'],
    project: [],
    path: ['path'],
    name: ['name'],
    branch: ['default_target_branch'],
    ...scripts,
  });
  const byId = new Map(repos.map((repository) => [repository.id, repository]));
  const held = source.rows(['project_repos'], { project: ['project_id'], repository: ['repo_id'], ...scripts });
  const inProjects = held.flatMap(({ project, repository, setup, cleanup }): Repository[] => {
    const found = byId.get(repository);
    return found ? [{ ...found, project, setup: found.setup ?? setup, cleanup: found.cleanup ?? cleanup }] : [];
  });
  const known = new Set(held.map(({ repository }) => repository));
  return [...inProjects, ...repos.filter(({ id }) => !known.has(id))];
}
