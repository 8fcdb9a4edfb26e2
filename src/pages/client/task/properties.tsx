import { useState } from 'preact/hooks';
import { useAction, useActionInTurn } from '../action.js';
import { api, must } from '../api.js';
import { COLUMNS } from '../board/columns.js';
import type { components } from '../generated/api.js';
import { Choice, Line, onSubmit, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import type { Task } from '../types.js';
import { Assignee } from './assignee.js';
import { ParentTask } from './parent-task.js';

/** Free text to the server; every dialect understands these. */
const PRIORITIES = ['low', 'medium', 'high', 'critical'];

interface PropertiesProps {
  task: Task;
  project_id: string;
  changed: () => void;
}
type Body = components['schemas']['PutTaskBody'];
/** Null clears a field. */
type Change = { [field in keyof Body]?: Body[field] | null };

/** Where they have a place beside the words of the task. */
const HAS_PLACE = '(min-width: 72rem)';

/** What a task is beside its words: each is saved as it is chosen. */
export function Properties({ task, project_id, changed }: PropertiesProps) {
  const { task_id, status, priority } = task;
  const [hasPlace] = useState(() => matchMedia(HAS_PLACE).matches); // later it is folded by hand alone
  const put = async (body: Change) => {
    await must(api.PUT('/api/tasks/{task_id}', { params: { path: { task_id } }, body: body as Body }));
    changed();
  };
  const save = useActionInTurn(put, 'Saved');
  const known = priority === null || PRIORITIES.includes(priority) ? PRIORITIES : [priority, ...PRIORITIES];
  return (
    <details class="card properties" open={hasPlace}>
      <summary>Properties</summary>
      <div class="bar start">
        <Choice label="Status" value={status} options={COLUMNS} set={(next) => save.run({ status: next })} />
        <Choice
          label="Priority"
          value={priority ?? ''}
          options={[['', 'None'], ...known.map((one) => [one, one] as const)]}
          set={(next) => save.run({ priority: next || null })}
        />
        <Assignee task={task} project_id={project_id} assigned={changed} />
      </div>
      <TagsAndDay task={task} put={put} />
      <ParentTask task={task} project_id={project_id} save={(parent_task_id) => save.run({ parent_task_id })} />
      <Refusal error={save.error} />
    </details>
  );
}

interface TagsAndDayProps {
  task: Task;
  put: (body: Change) => Promise<void>;
}

/** What is typed rather than chosen, and so saved when one says so. */
function TagsAndDay({ task: { task_id, tags, due_date }, put }: TagsAndDayProps) {
  const saved = { tags: tags.join(', '), day: dayOf(due_date) };
  const { fields, changed, isChanged, change, clear } = useFields(`properties:${task_id}`, saved);
  const save = useAction(async () => {
    await put(bodyOf(changed));
    clear();
  }, 'Saved');
  return (
    <form class="bar start" aria-label="Tags and day" onSubmit={onSubmit(save.run)}>
      <Line label="Tags, with commas between them" value={fields.tags} set={(next) => change({ tags: next })} />
      <Line label="Due" type="date" value={fields.day} set={(day) => change({ day })} />
      {isChanged && <button disabled={save.isRunning}>Save tags and day</button>}
      <Refusal error={save.error} />
    </form>
  );
}

const bodyOf = ({ tags, day }: { tags?: string; day?: string }): Change => ({
  tags: tags === undefined ? undefined : tagsOf(tags),
  due_date: day === undefined ? undefined : day ? new Date(`${day}T00:00:00`).toISOString() : null,
});

const tagsOf = (text: string): string[] => [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean);

/** The day by the clock of whoever looks, as an input of days takes it. */
function dayOf(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
