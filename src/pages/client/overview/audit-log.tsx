import type { Action } from '../action.js';
import type { ApiError } from '../api.js';
import { Avatar } from '../parts/avatar.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More } from '../parts/pages.js';
import { Time } from '../parts/time.js';
import { to } from '../routes.js';
import type { AuditEntry } from '../types.js';

interface AuditLogProps {
  /** Newest first; null before they are read. */
  rows: AuditEntry[] | null;
  error: ApiError | null;
  more: Action<[]> | null;
}

/** Who changed what, with the values before and after. */
export function AuditLog({ rows, error, more }: AuditLogProps) {
  return (
    <>
      <Refusal error={error} />
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <p class="empty">There is no such entry.</p>}
      <ol class="plain-list" aria-label="Entries">
        {rows?.map((entry) => (
          <Entry key={entry.number} entry={entry} />
        ))}
      </ol>
      <More more={more} />
    </>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { actor, caller, action, entity_type, created_at, details } = entry;
  const address = addressOf(entry);
  return (
    <li class="card">
      <div class="row">
        <span class="fact">
          <Avatar name={actor} /> {actor}
          {caller && <span class="quiet">through {caller}</span>}
        </span>
        <span>
          {action.replaceAll('_', ' ')} · {address ? <a href={address}>{entity_type}</a> : entity_type}
        </span>
        <span class="quiet">
          <Time at={created_at} />
        </span>
      </div>
      {Object.keys(details).length > 0 && (
        <details>
          <summary>Values</summary>
          <pre tabIndex={0}>{JSON.stringify(details, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}

function addressOf({ entity_type, entity_id, project_id }: AuditEntry): string | null {
  if (project_id === null || entity_id === null) return null;
  if (entity_type === 'task') return to.task(project_id, entity_id);
  return entity_type === 'project' ? to.settings(project_id) : null;
}
