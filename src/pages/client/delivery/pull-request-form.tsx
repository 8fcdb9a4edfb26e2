import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import type { PullRequest } from '../types.js';
import { ChecksRequired, overridden, type Override } from './checks-required.js';
import { mustAll } from './delivery.js';

interface FormProps {
  title: string;
  attempt_id: string;
  /** The pull request to change; undefined to open one. */
  changed?: PullRequest & { repo_id: string };
  mayOverride: boolean;
  close: () => void;
  done: () => void;
}

/** Title, description and draft of a pull request; empty fields come from the task, or stay. */
export function PullRequestForm({ title: heading, ...props }: FormProps) {
  const { attempt_id, changed, mayOverride, close } = props;
  const { title, setTitle, body, setBody, draft, setDraft, save } = useTexts(props);
  const submit = (event: Event) => {
    event.preventDefault();
    save.run();
  };
  const unsaid = changed ? 'Empty: stays as it is.' : 'Empty: that of the task.';
  return (
    <Dialog title={heading} close={close}>
      <form onSubmit={submit}>
        <label>
          Title
          <input
            type="text"
            value={title}
            placeholder={unsaid}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <label>
          Description
          <textarea
            rows={5}
            value={body}
            placeholder={unsaid}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </label>
        <label class="switch">
          <input type="checkbox" checked={draft} onChange={() => setDraft(!draft)} /> Draft, not ready to be merged
        </label>
        <Refusal error={save.error} />
        <div class="bar">
          <button class="primary" disabled={save.isRunning}>
            {changed ? 'Save' : 'Open pull request'}
          </button>
        </div>
      </form>
      <ChecksRequired
        {...{ attempt_id, mayOverride }}
        error={save.error}
        isBusy={save.isRunning}
        deliver={(override) => save.run(override)}
      />
    </Dialog>
  );
}

function useTexts({ attempt_id, changed, close, done }: Omit<FormProps, 'title'>) {
  const about = `${attempt_id} ${changed?.repo_id ?? ''}`;
  const [title, setTitle] = useDraft(`pull request title:${about}`, changed?.title ?? '');
  const [body, setBody] = useDraft(`pull request:${about}`);
  const [draft, setDraft] = useState(changed?.draft ?? false);
  const save = useAction(
    async (key, override?: Override) => {
      const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
      const fields = { title: title.trim() || undefined, body: body.trim() || undefined, draft };
      const path = '/api/attempts/{attempt_id}/pull-request';
      if (changed) await mustAll(must(api.PATCH(path, { params, body: { ...fields, repo_id: changed.repo_id } })));
      else await mustAll(must(api.POST(path, { params, body: { ...fields, override } })));
      overridden(attempt_id);
      setTitle(changed?.title ?? '');
      setBody('');
      done();
      close();
    },
    changed ? 'Pull request changed' : 'Pull request opened',
  );
  return { title, setTitle, body, setBody, draft, setDraft, save };
}
