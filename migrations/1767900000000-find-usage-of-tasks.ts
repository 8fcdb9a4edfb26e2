import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of a task that reported what they used: few, and asked for with every task. */
export class FindUsageOfTasks1767900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE INDEX executions_usage_of_task ON executions (task_id)
  WHERE run_reason = 'codingagent'
    AND coalesce(input_tokens, cached_input_tokens, output_tokens, cost_usd) IS NOT NULL;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX executions_usage_of_task');
  }
}
