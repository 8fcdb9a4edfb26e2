import { Injectable } from '@nestjs/common';
import { NO_USAGE, toUsageOutput } from '../executors/usage.dto.js';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import type { ReadUsageInput, ReadUsageOutput, UsageRowOutput } from './usage.dto.js';
import { UsageRepository, type UsageSum } from './usage.repository.js';

/** What agents have used, as they say. */
@Injectable()
export class UsageService {
  constructor(
    private readonly rows: UsageRepository,
    private readonly broad: BroadReads,
  ) {}

  async read({ group_by = 'project', ...filter }: ReadUsageInput, principal: Principal): Promise<ReadUsageOutput> {
    const sums = await this.broad.read(principal, 'project_id or task_id, or from and to', () =>
      this.rows.sum(principal, group_by, filter),
    );
    return { group_by, rows: sums.map(toRowOutput), total: toUsageOutput(sums[0]?.total ?? NO_USAGE) };
  }

  /** One line per sum (RFC 4180); what was not reported is empty. */
  async csv(input: ReadUsageInput, principal: Principal): Promise<string> {
    const { rows } = await this.read(input, principal);
    const lines = rows.map(({ usage, ...row }) => [
      ...[row.key, row.name, row.runs, row.reported_runs, row.duration_ms],
      ...[usage.input_tokens, usage.cached_input_tokens, usage.output_tokens, usage.cost_usd],
      ...[row.completed_runs, row.failed_runs, row.median_duration_ms, row.median_wait_ms],
    ]);
    return [HEADER, ...lines].map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
  }
}

const HEADER = [
  ...['key', 'name', 'runs', 'reported_runs', 'duration_ms'],
  ...['input_tokens', 'cached_input_tokens', 'output_tokens', 'cost_usd'],
  ...['completed_runs', 'failed_runs', 'median_duration_ms', 'median_wait_ms'],
];

/** Escapes text that a spreadsheet would take for a formula. */
function toCell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const toRowOutput = (row: UsageSum): UsageRowOutput => ({
  key: row.key,
  name: row.name,
  runs: row.runs,
  reported_runs: row.reported_runs,
  completed_runs: row.completed_runs,
  failed_runs: row.failed_runs,
  duration_ms: Number(row.duration_ms),
  median_duration_ms: row.median_duration_ms,
  median_wait_ms: row.median_wait_ms,
  usage: toUsageOutput(row),
});
