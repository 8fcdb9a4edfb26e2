import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who wants to be told of a task, and how far everybody has read their inbox. */
export class WatchTasks1763701870200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE task_watchers, inbox_readers');
  }
}

// A person is a worker, or a principal that is none.
const up = `
CREATE TABLE task_watchers (
  watcher text NOT NULL,
  task_id uuid NOT NULL REFERENCES tasks (id),
  since timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT task_watchers_pkey PRIMARY KEY (watcher, task_id)
);
CREATE INDEX task_watchers_newest ON task_watchers (watcher, since DESC);

CREATE TABLE inbox_readers (
  reader text NOT NULL PRIMARY KEY,
  read_at timestamptz(3) NOT NULL
);`;
