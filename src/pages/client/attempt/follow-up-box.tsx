import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { useKeptText } from '../parts/tab-state.js';
import { Refusal } from '../parts/notice.js';
import type { AttemptStatus, FollowUpBody } from '../types.js';

/** The follow-up to send, and its idempotency key. */
type FollowUp = FollowUpBody & { attempt_id: string; key: string };

export const sendFollowUp = ({ attempt_id, key, ...body }: FollowUp) => {
  const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
  return must(api.POST('/api/attempts/{attempt_id}/follow-up', { params, body }));
};

/** The next message: sent at once to an idle agent, queued behind a running one. */
export function FollowUpBox({ status, sent }: { status: AttemptStatus; sent: () => void }) {
  const { attempt_id, state, latest_session_id, has_queued_message } = status;
  const [text, setText] = useKeptText(`follow-up:${attempt_id}`);
  const send = useAction(async (key, action: 'send' | 'queue') => {
    const message = { attempt_id, key, prompt: text };
    await sendFollowUp(action === 'send' ? { action, ...message } : { action, ...message }); // a type for each action
    setText('');
    sent();
  }, 'Message sent');
  const cancel = useAction(async () => {
    await must(
      api.POST('/api/attempts/{attempt_id}/follow-up', {
        params: { path: { attempt_id } },
        body: { action: 'cancel' },
      }),
    );
    sent();
  }, 'Queued message cancelled');
  const action = state === 'running' ? 'queue' : 'send';
  const isReady = text.trim() !== '' && latest_session_id !== null && !send.isRunning;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReady) send.run(action);
  };
  return (
    <form class="follow-up" onSubmit={submit}>
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
          {action === 'queue' ? 'Queue' : 'Send'}
        </button>
      </div>
      <Refusal error={send.error ?? cancel.error} />
    </form>
  );
}
