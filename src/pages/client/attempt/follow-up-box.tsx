import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import type { AttemptStatus } from '../types.js';
import { followUpForm, sendFollowUp } from './follow-up.js';
import { MessageQueue } from './message-queue.js';

/** The next message: sent at once to an idle agent, queued behind a running one. */
export function FollowUpBox({ status, sent }: { status: AttemptStatus; sent: () => void }) {
  const { attempt_id, state, latest_session_id, has_queued_message } = status;
  const [text, setText] = useDraft(followUpForm(attempt_id));
  const send = useSend(attempt_id, text, () => (setText(''), sent()));
  const cancel = useAction(async () => {
    const params = { path: { session_id: latest_session_id! } };
    await must(api.DELETE('/api/sessions/{session_id}/queue', { params })).then(sent);
  }, 'Queued message cancelled');
  const isReady = text.trim() !== '' && latest_session_id !== null && !send.isRunning;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReady) send.run();
  };
  return (
    <form class="follow-up" onSubmit={submit}>
      {latest_session_id && <MessageQueue attempt_id={attempt_id} session_id={latest_session_id} />}
      <label>
        <span class="visually-hidden">Follow-up</span>
        <textarea
          rows={1}
          value={text}
          placeholder={latest_session_id ? 'Follow-up: what should the agent do next?' : 'No session yet.'}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      <div class="bar">
        {has_queued_message && (
          <>
            <span class="quiet">What is queued waits for the end of the run.</span>
            <button type="button" disabled={cancel.isRunning} onClick={() => cancel.run()}>
              Cancel
            </button>
          </>
        )}
        <button class="primary" disabled={!isReady}>
          {state === 'running' ? 'Queue' : 'Send'}
        </button>
      </div>
      <Refusal error={send.error ?? cancel.error} />
    </form>
  );
}

/** Queued in any case: where nothing runs it begins at once, and nothing that has just begun can refuse it. */
function useSend(attempt_id: string, prompt: string, sent: () => void) {
  const send = async (key: string) => {
    await sendFollowUp({ attempt_id, key, action: 'queue', prompt });
    sent();
  };
  return useAction(send, 'Message sent', { form: followUpForm(attempt_id), content: prompt });
}
