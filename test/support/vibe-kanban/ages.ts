/** Databases of Vibe Kanban as its earlier releases wrote them: each with one project, one task and one attempt. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sqlite from 'node-sqlite3-wasm';

const TASKS = `
  CREATE TABLE tasks (
    id BLOB PRIMARY KEY, project_id BLOB NOT NULL, title TEXT NOT NULL, description TEXT, status TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT '2025-06-18 09:00:00.000', updated_at TEXT NOT NULL DEFAULT '2025-06-18 09:10:00'
  );
  INSERT INTO tasks (id, project_id, title, status)
  VALUES (x'22222222222242228222222222222222', x'11111111111141118111111111111111', 'Old task', 'done');
`;
const TIMES = `created_at TEXT NOT NULL DEFAULT '2025-06-18 09:01:00.500', updated_at TEXT`;
const steps = (...versions: number[]): string =>
  `CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY);
   ${versions.map((version) => `INSERT INTO _sqlx_migrations VALUES (${version});`).join('\n')}`;
const oldProjects = (repository: string): string => `
  CREATE TABLE projects (
    id BLOB PRIMARY KEY, name TEXT NOT NULL, git_repo_path TEXT NOT NULL DEFAULT '' UNIQUE, setup_script TEXT, ${TIMES}
  );
  INSERT INTO projects (id, name, git_repo_path, setup_script)
  VALUES (x'11111111111141118111111111111111', 'Old shop', '${repository}', 'npm ci');
`;

/** By the last day of their shape. @param repository path of the only one */
export const ages: Record<string, (repository: string) => string> = {
  /** One column held the executor, and the row of an attempt its merge. */
  'June 2025': (repository) => `
    ${steps(20250617183714)} ${oldProjects(repository)} ${TASKS}
    CREATE TABLE task_attempts (
      id BLOB PRIMARY KEY, task_id BLOB NOT NULL, worktree_path TEXT NOT NULL, merge_commit TEXT, executor TEXT,
      stdout TEXT, stderr TEXT, ${TIMES}
    );
    INSERT INTO task_attempts (id, task_id, worktree_path, merge_commit, executor)
    VALUES (x'33333333333343338333333333333333', x'22222222222242228222222222222222', '/tmp/mission-control/old-1',
            'abc', 'claude');
  `,
  /** Runs and what was said in them; pull requests beside merges. */
  'August 2025': (repository) => `
    ${steps(20250617183714, 20250819000000)} ${oldProjects(repository)} ${TASKS}
    CREATE TABLE task_attempts (
      id BLOB PRIMARY KEY, task_id BLOB NOT NULL, container_ref TEXT, branch TEXT, base_branch TEXT, profile TEXT,
      ${TIMES}
    );
    INSERT INTO task_attempts (id, task_id, container_ref, branch, base_branch, profile)
    VALUES (x'33333333333343338333333333333333', x'22222222222242228222222222222222', '/tmp/vk/old-1', 'vk-old-1',
            'main', 'claude-code');
    CREATE TABLE execution_processes (
      id BLOB PRIMARY KEY, task_attempt_id BLOB NOT NULL, run_reason TEXT, executor_action TEXT, status TEXT,
      exit_code INTEGER, started_at TEXT, completed_at TEXT, ${TIMES}
    );
    INSERT INTO execution_processes (id, task_attempt_id, run_reason, status, exit_code, started_at) VALUES
      (x'44444444444444448444444444444441', x'33333333333343338333333333333333', 'devserver', 'killed', 1, NULL),
      (x'44444444444444448444444444444442', x'33333333333343338333333333333333', 'codingagent', 'completed', 0,
       '2025-08-18 09:02:00');
    CREATE TABLE executor_sessions (
      id BLOB PRIMARY KEY, task_attempt_id BLOB NOT NULL, execution_process_id BLOB NOT NULL, session_id TEXT,
      prompt TEXT, summary TEXT, ${TIMES}
    );
    INSERT INTO executor_sessions (id, task_attempt_id, execution_process_id, prompt, summary)
    VALUES (x'55', x'33333333333343338333333333333333', x'44444444444444448444444444444442', 'Do it', 'Did it');
    CREATE TABLE merges (
      id BLOB PRIMARY KEY, task_attempt_id BLOB, merge_type TEXT, merge_commit TEXT, pr_url TEXT, pr_status TEXT
    );
    INSERT INTO merges
    VALUES (x'66', x'33333333333343338333333333333333', 'pr', NULL, 'https://forge/o/r/pull/1', 'open');
  `,
  /** Repositories of their own, before workspaces. */
  'December 2025': (repository) => `
    ${steps(20250617183714, 20251209000000)} ${TASKS}
    CREATE TABLE projects (id BLOB PRIMARY KEY, name TEXT NOT NULL, ${TIMES});
    INSERT INTO projects (id, name) VALUES (x'11111111111141118111111111111111', 'Old shop');
    CREATE TABLE repos (id BLOB PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL, display_name TEXT NOT NULL);
    INSERT INTO repos VALUES (x'77777777777747778777777777777777', '${repository}', 'shop', 'shop');
    CREATE TABLE project_repos (id BLOB PRIMARY KEY, project_id BLOB, repo_id BLOB, setup_script TEXT);
    INSERT INTO project_repos
    VALUES (x'78', x'11111111111141118111111111111111', x'77777777777747778777777777777777', 'npm ci');
    CREATE TABLE task_attempts (id BLOB PRIMARY KEY, task_id BLOB NOT NULL, branch TEXT, executor TEXT, ${TIMES});
    INSERT INTO task_attempts (id, task_id, branch, executor)
    VALUES (x'33333333333343338333333333333333', x'22222222222242228222222222222222', 'vk-old-1', 'CODEX:HIGH');
    CREATE TABLE attempt_repos (id BLOB PRIMARY KEY, attempt_id BLOB, repo_id BLOB, target_branch TEXT NOT NULL);
    INSERT INTO attempt_repos
    VALUES (x'79', x'33333333333343338333333333333333', x'77777777777747778777777777777777', 'trunk');
  `,
};

/** A database in a folder of its own. */
export class KanbanFile {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'taskyard-kanban-'));
  readonly path = path.join(this.folder, 'db.sqlite');

  constructor(sql: string) {
    this.change(sql);
  }

  change(sql: string): void {
    const database = new sqlite.Database(this.path);
    database.exec(sql);
    database.close();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
