import { useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { InlineText } from '../parts/inline-text.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { useFound } from '../search/use-found.js';
import { to } from '../routes.js';
import type { Task } from '../types.js';

const MOST = 20;

interface ParentTaskProps {
  task: Task;
  project_id: string;
  save: (parent_task_id: string | null) => void;
}

/** What a task is a part of. */
export function ParentTask({ task, project_id, save }: ParentTaskProps) {
  const [isChosen, setChosen] = useState(false);
  const parent = task.parent_task_id;
  const choose = (task_id: string) => {
    setChosen(false);
    save(task_id);
  };
  return (
    <div class="bar start">
      {parent ? (
        <>
          Part of <ParentLink project_id={project_id} task_id={parent} />
        </>
      ) : (
        'Part of no other task'
      )}
      <button type="button" onClick={() => setChosen(true)}>
        {parent ? 'Change parent' : 'Choose a parent'}
      </button>
      {parent && (
        <button type="button" onClick={() => save(null)}>
          Remove parent
        </button>
      )}
      {isChosen && (
        <Dialog title="Choose a parent" close={() => setChosen(false)}>
          <Candidates task_id={task.task_id} project_id={project_id} choose={choose} />
        </Dialog>
      )}
    </div>
  );
}

function ParentLink({ project_id, task_id }: { project_id: string; task_id: string }) {
  const { data } = useResource(`task:${task_id}`, () =>
    must(api.GET('/api/tasks/{task_id}', { params: { path: { task_id } } })),
  );
  return (
    <a href={to.task(project_id, task_id)}>
      <InlineText text={data?.title ?? '…'} />
    </a>
  );
}

interface CandidatesProps {
  task_id: string;
  project_id: string;
  choose: (task_id: string) => void;
}

function Candidates({ task_id, project_id, choose }: CandidatesProps) {
  const [q, setQ] = useState('');
  const query = { q: q.trim(), kinds: ['task' as const], project_id, limit: MOST };
  const { data, error, isAsking } = useFound(query.q, { results: [], next_cursor: null }, (signal) =>
    must(api.GET('/api/search', { params: { query }, signal })),
  );
  const found = data.results.filter((one) => one.task_id !== task_id);
  return (
    <>
      <label>
        Words of its title
        <input type="search" value={q} onInput={(event) => setQ(event.currentTarget.value)} />
      </label>
      <Refusal error={error} />
      <p class="quiet" role="status">
        {query.q && !isAsking && found.length === 0 && 'No task of this project has these words.'}
      </p>
      <ul class="plain-list" aria-label="Found tasks">
        {found.map((one) => (
          <li key={one.task_id}>
            <button type="button" class="plain" onClick={() => choose(one.task_id)}>
              <InlineText text={one.title} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
