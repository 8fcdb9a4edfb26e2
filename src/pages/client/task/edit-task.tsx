import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { Refusal } from '../parts/notice.js';
import type { Task } from '../types.js';
import { TaskTexts } from './task-texts.js';

interface EditTaskProps {
  task: Task;
  close: () => void;
  saved: () => void;
}

/** Edits the texts of a task. A running agent keeps what it has read. */
export function EditTask({ task: { task_id, ...before }, close, saved }: EditTaskProps) {
  const [title, setTitle] = useState(before.title);
  const [description, setDescription] = useState(before.description ?? '');
  const save = useAction(async () => {
    const body = { title: title.trim(), description };
    await must(api.PUT('/api/tasks/{task_id}', { params: { path: { task_id } }, body }));
    saved();
    close();
  }, 'Task saved');
  const isReady = title.trim() !== '' && !save.isRunning;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReady) save.run();
  };
  return (
    <Dialog title="Edit task" close={close}>
      <form onSubmit={submit}>
        <TaskTexts {...{ title, setTitle, description, setDescription }} rows={10} />
        <Refusal error={save.error} />
        <div class="bar">
          <button class="primary" disabled={!isReady}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
