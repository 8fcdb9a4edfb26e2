import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, download, must } from '../api.js';
import { Choice } from '../parts/fields.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { UsageTable } from './usage-table.js';

const DAY_MS = 86_400_000;
const GROUPS = {
  executor: 'Executor',
  project: 'Project',
  task: 'Task',
  worker: 'Person',
  day: 'Day',
} as const;
export type Group = keyof typeof GROUPS;

const PERIODS = [
  ['14', 'Last 14 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
  ['', 'Always'],
] as const;
type Period = (typeof PERIODS)[number][0];

interface UsageByProps {
  groups: readonly Group[];
  project_id?: string;
}

/** What runs have used, summed as one chooses; also as a table for a spreadsheet. */
export function UsageBy({ groups, project_id }: UsageByProps) {
  const [group_by, setGroup] = useState<Group>(groups[0]!);
  const [days, setDays] = useState<Period>('14');
  const query = { group_by, project_id, from: firstOf(days) };
  const key = `usage:${JSON.stringify(query)}`;
  const { data, error } = useResource(key, () => must(api.GET('/api/usage', { params: { query } })));
  const save = useAction(() => download('/api/usage', `usage-by-${group_by}.csv`, { query, accept: 'text/csv' }));
  return (
    <>
      <div class="bar start">
        <Choice label="Sum by" value={group_by} options={groups.map((one) => [one, GROUPS[one]])} set={setGroup} />
        <Choice label="Period" value={days} options={PERIODS} set={setDays} />
        <button type="button" disabled={save.isRunning} onClick={() => save.run()}>
          Download as CSV
        </button>
      </div>
      <Refusal error={error ?? save.error} />
      {!data && !error && <Loading />}
      {data?.rows.length === 0 && <p class="empty">No run of an agent has ended in this time.</p>}
      {data && data.rows.length > 0 && <UsageTable rows={data.rows} by={GROUPS[group_by]} />}
    </>
  );
}

/** The first day of a period, in UTC. */
const firstOf = (days: Period): string | undefined =>
  days ? new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10) : undefined;
