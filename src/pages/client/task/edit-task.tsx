import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, ApiError, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import type { Task } from '../types.js';
import { OtherTexts } from './other-texts.js';
import { TaskTexts } from './task-texts.js';

interface EditTaskProps {
  task: Task;
  close: () => void;
  saved: () => void;
}

type Texts = Record<'title' | 'description', string>;
/** What is typed, and what it was made from. */
interface Edit extends Texts {
  base: Texts & Pick<Task, 'updated_at'>;
}

/** Edits the texts of a task. A running agent keeps what it has read. */
export function EditTask({ task, close, saved }: EditTaskProps) {
  const { task_id } = task;
  const [begun] = useState(() => JSON.stringify(editOf(task)));
  const [draft, keep] = useDraft(`task:${task_id}`, begun);
  const edit = JSON.parse(draft) as Edit;
  const [theirs, setTheirs] = useState<Task | null>(null);
  const change = (next: Partial<Edit>) => keep(JSON.stringify({ ...edit, ...next }));
  const end = () => {
    keep(begun);
    close();
  };
  const save = useAction(async (_key, base: Edit['base']) => {
    const current = await put(task_id, edit, base);
    if (current !== null) return setTheirs(current);
    saved();
    end();
  });
  const answer = (next: Partial<Edit>) => {
    setTheirs(null);
    change(next);
  };
  const isReady = edit.title.trim() !== '' && !save.isRunning;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReady && theirs === null) save.run(edit.base);
  };
  return (
    <Dialog title="Edit task" close={close}>
      <form onSubmit={submit}>
        <TaskTexts
          {...edit}
          setTitle={(title) => change({ title })}
          setDescription={(description) => change({ description })}
          rows={10}
        />
        {theirs && (
          <OtherTexts
            task={theirs}
            keepMine={() => (answer({ base: editOf(theirs).base }), save.run(editOf(theirs).base))}
            takeTheirs={() => answer(editOf(theirs))}
          />
        )}
        <Refusal error={save.error} />
        <div class="bar">
          {draft !== begun && (
            <button type="button" class="plain" onClick={end}>
              Discard
            </button>
          )}
          <button class="primary" disabled={!isReady || theirs !== null}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function editOf({ title, description, updated_at }: Task): Edit {
  const texts = { title, description: description ?? '' };
  return { ...texts, base: { ...texts, updated_at } };
}

/** @returns the task as somebody else has written it meanwhile, or null where the edit is saved. A task that was only
 *  moved is no other text. */
async function put(task_id: string, { title, description }: Texts, base: Edit['base']): Promise<Task | null> {
  const body = { title: title.trim(), description, expected_updated_at: base.updated_at };
  try {
    await must(api.PUT('/api/tasks/{task_id}', { params: { path: { task_id } }, body }));
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'task_changed') throw error;
    const current = error.details.current as Task;
    const now = editOf(current).base;
    if (now.title === body.title && now.description === description) return null; // only the answer was lost
    if (now.title !== base.title || now.description !== base.description) return current;
    return put(task_id, { title, description }, now);
  }
}
