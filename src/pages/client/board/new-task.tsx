import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import { startAttempt, StartFields, useStart } from './start-form.js';
import { go, to } from '../routes.js';
import { TaskTexts } from '../task/task-texts.js';

interface NewTaskProps {
  project_id: string;
  close: () => void;
  made: () => void;
}

/** A task, and on request the first attempt at it. */
export function NewTask({ project_id, close, made }: NewTaskProps) {
  const [title, setTitle] = useDraft(`title:${project_id}`);
  const [description, setDescription] = useDraft(`description:${project_id}`);
  const start = useStart(project_id);
  const [task_id, setTaskId] = useState<string | null>(null);
  const create = useAction(
    async (key, isStarted: boolean) => {
      const made_id = task_id ?? (await createTask(project_id, title, description, key));
      setTaskId(made_id);
      if (isStarted) {
        const attempt_id = await startAttempt(made_id, start, key);
        go(to.attempt(project_id, attempt_id));
      }
      setTitle('');
      setDescription('');
      made();
      close();
    },
    'Task made',
    { form: `new task:${project_id}`, content: `${title}\n${description}` },
  );
  const isReady = title.trim() !== '' && !create.isRunning;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReady) create.run(false);
  };
  return (
    <Dialog title="New task" close={close}>
      <form onSubmit={submit}>
        <TaskTexts {...{ title, setTitle, description, setDescription }} rows={6} />
        <StartFields start={start} />
        <Refusal error={create.error} />
        <div class="bar">
          <button disabled={!isReady}>Create</button>
          <button type="button" class="primary" disabled={!isReady || !start.executor} onClick={() => create.run(true)}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}

async function createTask(project_id: string, title: string, description: string, key: string): Promise<string> {
  const params = { path: { project_id }, header: { 'Idempotency-Key': key } };
  const body = { title: title.trim(), description: description.trim() || undefined };
  const { task_id } = await must(api.POST('/api/projects/{project_id}/tasks', { params, body }));
  return task_id;
}
