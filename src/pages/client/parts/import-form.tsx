import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, type ApiError, must } from '../api.js';
import type { components } from '../generated/api.js';
import { onSubmit } from './fields.js';
import { Refusal } from './notice.js';

type Imported = components['schemas']['ImportOutput'];

interface ImportFormProps {
  /** The project that tasks go into; a whole export brings its own. */
  project_id?: string;
  imported: (answer: Imported) => void;
}

/** Takes the lines of an export, once it has shown what they would bring. */
export function ImportForm({ project_id, imported }: ImportFormProps) {
  const [file, setFile] = useState<File>();
  const [found, setFound] = useState<Imported>();
  const check = useAction(async (_, chosen: File) => setFound(await send(chosen, true, project_id)));
  const bring = useAction(async () => {
    const answer = await send(file!, false, project_id);
    setFound(undefined);
    imported(answer);
  }, 'Imported');
  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    setFound(undefined);
    if (chosen) check.run(chosen);
  };
  const error = bring.error ?? check.error;
  return (
    <form class="card" onSubmit={onSubmit(() => found && bring.run())}>
      <label>
        {project_id ? 'Tasks of an export' : 'An export of projects'}
        <input type="file" accept=".ndjson" onChange={(event) => choose(event.currentTarget.files?.[0])} />
      </label>
      <p class="quiet" role="status">
        {check.isRunning && 'Reading it…'}
        {found && `Brings ${countsOf(found.created)}. Already there, and left as it is: ${countsOf(found.existing)}.`}
      </p>
      <button class="primary" disabled={!found || bring.isRunning}>
        Import
      </button>
      <Refusal error={error} />
      <BadLines error={error} />
    </form>
  );
}

/** A file is sent while it is read. */
function send(file: File, dry_run: boolean, project_id?: string): Promise<Imported> {
  const lines = { body: '', bodySerializer: () => file, headers: { 'content-type': 'application/x-ndjson' } };
  const query = { dry_run };
  if (project_id === undefined) return must(api.POST('/api/imports', { params: { query }, ...lines }));
  const params = { path: { project_id }, query };
  return must(api.POST('/api/projects/{project_id}/tasks:import', { params, ...lines }));
}

const countsOf = (counts: Imported['created']): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${count === 1 ? kind : `${kind}s`.replace('ys', 'ies')}`)
    .join(', ') || 'nothing';

/** What the refusal of an import says of single lines. */
function BadLines({ error }: { error: ApiError | null }) {
  const lines = (error?.details.errors ?? []) as { line: number; message: string }[];
  if (lines.length < 2) return null; // the refusal itself names the first
  return (
    <ul>
      {lines.map(({ line, message }) => (
        <li key={line}>
          Line {line} {message}
        </li>
      ))}
    </ul>
  );
}
