import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, download, must } from '../api.js';
import { AuditLog } from '../overview/audit-log.js';
import { Choice, Line } from '../parts/fields.js';
import { usePages } from '../parts/pages.js';
import { Refusal } from '../parts/notice.js';
import { useProjects } from '../projects.js';
import { useAddress } from '../search/use-address.js';

const FIELDS = ['project', 'actor', 'action', 'from', 'to'] as const;

/** Who changed what on the whole server; the address holds the filters. */
export function InstanceAudit() {
  const [fields, change] = useAddress(FIELDS);
  const { data } = useProjects();
  const query = useRested(queryOf(fields));
  const pages = usePages(`audit:${JSON.stringify(query)}`, async (cursor?: number) => {
    const page = await must(api.GET('/api/audit', { params: { query: { ...query, cursor } } }));
    return { ...page, rows: page.entries };
  });
  const save = useAction(() => download('/api/audit', 'audit.ndjson', { query, accept: 'application/x-ndjson' }));
  const projects = data?.projects.map(({ project_id, name }) => [project_id, name] as const) ?? [];
  const line = (label: string, field: 'actor' | 'action', placeholder: string) => (
    <Line
      label={label}
      value={fields[field] ?? ''}
      placeholder={placeholder}
      set={(next) => change({ [field]: next })}
    />
  );
  const day = (label: string, field: 'from' | 'to') => (
    <Line label={label} type="date" value={fields[field] ?? ''} set={(next) => change({ [field]: next })} />
  );
  return (
    <>
      <search class="bar start">
        <Choice
          label="Project"
          value={fields.project ?? ''}
          options={[['', 'Any project'], ...projects]}
          set={(project) => change({ project })}
        />
        {line('Who', 'actor', '@ada')}
        {line('What', 'action', 'token_created')}
        {day('From', 'from')}
        {day('Until', 'to')}
        <button type="button" disabled={save.isRunning} onClick={() => save.run()}>
          Download all
        </button>
      </search>
      <Refusal error={save.error} />
      <AuditLog {...pages} />
    </>
  );
}

type Fields = Partial<Record<(typeof FIELDS)[number], string>>;

/** A day is meant whole, by the clock of whoever looks. */
const queryOf = ({ project, actor, action, from, to }: Fields) => ({
  project_id: project,
  actor: actor?.trim() || undefined,
  action: action?.trim().replaceAll(' ', '_') || undefined,
  from: from && new Date(`${from}T00:00:00`).toISOString(),
  to: to && new Date(`${to}T23:59:59.999`).toISOString(),
});

const REST_MS = 300;

/** A value as it was when it last stood still, so that the server is not asked at each key. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return rested;
}
