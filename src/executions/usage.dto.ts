import { UsageOutput } from '../executors/usage.dto.js';
import {
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';

const usageGroups = ['project', 'task', 'worker', 'executor', 'day'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** A day stands for its first moment. */
const SinceField = (description: string) =>
  TimeField(description, {
    optional: true,
    normalise: (value) => (/^\d{4}-\d{2}-\d{2}$/.test(String(value)) ? `${String(value)}T00:00:00Z` : value),
  });

export class ReadUsageInput {
  @EnumField(`What to sum by: one of ${usageGroups.join(', ')}. Default project.`, usageGroups, {
    optional: true,
    example: 'executor',
  })
  group_by?: UsageGroup;
  @UuidField('Only usage in this project (UUID).', { optional: true }) project_id?: string;
  @UuidField('Only usage for this task (UUID).', { optional: true }) task_id?: string;
  @UuidField('Only usage for tasks assigned to this worker (UUID).', { optional: true }) worker_id?: string;
  @SinceField('Only runs that ended at this time or later (RFC 3339, or a day in UTC).') from?: string;
  @SinceField('Only runs that ended before this time (RFC 3339, or a day in UTC).') to?: string;
}

export class UsageRowOutput {
  @TextField('Id of the project, task or worker, the executor, or the day in UTC; null for what belongs to none.', {
    nullable: true,
    example: 'CODEX',
  })
  key!: string | null;
  @TextField('Its name, title or handle, or null.', { nullable: true, example: 'CODEX' }) name!: string | null;
  @IntField('Runs of agents that have ended. Integer.', { example: 4 }) runs!: number;
  @IntField('Runs that reported usage. Integer.', { example: 3 }) reported_runs!: number;
  @IntField('Runs that completed. Integer.', { example: 3 }) completed_runs!: number;
  @IntField('Runs that failed; the rest were stopped. Integer.', { example: 1 }) failed_runs!: number;
  @IntField('Total duration of the runs in milliseconds. Integer.', { example: 240000 }) duration_ms!: number;
  @IntField('Median duration of a run in milliseconds, or null if none has started. Integer.', {
    nullable: true,
    example: 60000,
  })
  median_duration_ms!: number | null;
  @IntField('Median time from request to start in milliseconds, or null if none has started. Integer.', {
    nullable: true,
    example: 400,
  })
  median_wait_ms!: number | null;
  @ObjectField('Total usage of the runs.', () => UsageOutput) usage!: UsageOutput;
}

export class ReadUsageOutput {
  @EnumField(`What was summed by: one of ${usageGroups.join(', ')}.`, usageGroups, { example: 'executor' })
  group_by!: UsageGroup;
  @ListField('Sums, the largest output first, or by day; at most 1000.', () => UsageRowOutput) rows!: UsageRowOutput[];
  @ObjectField('Totals over all runs.', () => UsageOutput) total!: UsageOutput;
}
