import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { toast } from '../parts/toast.js';
import { dropDraft, ownDrafts, putBack, useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Queued } from '../types.js';
import { followUpForm } from './follow-up.js';

interface QueueProps {
  attempt_id: string;
  session_id: string;
}

/** What waits for the end of the run: to be changed, sent now or dropped. */
export function MessageQueue({ attempt_id, session_id }: QueueProps) {
  const params = { path: { session_id } };
  const { data, error, reload } = useResource(
    `queue:${session_id}`,
    () => must(api.GET('/api/sessions/{session_id}/queue', { params })),
    concernsAttempt(attempt_id),
  );
  useEffect(() => {
    if (data) rescue(attempt_id, session_id, data.messages);
  }, [data]);
  if (!data?.messages.length) return <Refusal error={error} />;
  return (
    <ol class="queue" aria-label="Queued messages">
      {data.messages.map((message) => (
        <Waiting key={message.message_id} {...{ session_id, message, reload }} />
      ))}
    </ol>
  );
}

const formOf = (session_id: string, message_id = '') => `message ${session_id} ${message_id}`;

/** New words for a message that was taken meanwhile are put into the box for the next one. */
function rescue(attempt_id: string, session_id: string, messages: Queued[]): void {
  for (const [message_id, text] of ownDrafts(formOf(session_id))) {
    if (messages.some((message) => message.message_id === message_id)) continue;
    dropDraft(formOf(session_id, message_id));
    putBack(followUpForm(attempt_id), text);
    toast('The message has just been taken. Your new words are in the box.');
  }
}

interface WaitingProps {
  session_id: string;
  message: Queued;
  reload: () => void;
}

function Waiting({ session_id, message, reload }: WaitingProps) {
  const { message_id, prompt, goes_first } = message;
  const params = { path: { session_id, message_id } };
  const [isEdited, setEdited] = useState(() => ownDrafts(formOf(session_id, message_id)).length > 0);
  const send = useAction(
    () => must(api.POST('/api/sessions/{session_id}/queue/{message_id}/send', { params })).finally(reload),
    'The run is stopped, and the message sent',
  );
  const drop = useAction(
    () => must(api.DELETE('/api/sessions/{session_id}/queue/{message_id}', { params })).finally(reload),
    'Message dropped',
  );
  const isBusy = send.isRunning || drop.isRunning;
  return (
    <li>
      {isEdited ? (
        <EditMessage {...{ session_id, message, reload }} close={() => setEdited(false)} />
      ) : (
        <>
          <p class="prompt">{prompt}</p>
          <div class="bar">
            {goes_first && <span class="quiet">goes first</span>}
            <button type="button" class="plain" onClick={() => setEdited(true)}>
              Edit
            </button>
            <button type="button" class="plain" disabled={isBusy || goes_first} onClick={() => send.run()}>
              Send now
            </button>
            <button type="button" class="plain" disabled={isBusy} onClick={() => drop.run()}>
              Drop
            </button>
          </div>
        </>
      )}
      <Refusal error={send.error ?? drop.error} />
    </li>
  );
}

/** Not a form of its own, because it stands in that of the next message. */
function EditMessage({ session_id, message, reload, close }: WaitingProps & { close: () => void }) {
  const { message_id, prompt } = message;
  const [text, setText] = useDraft(formOf(session_id, message_id), prompt);
  const end = () => {
    setText(prompt);
    close();
  };
  const save = useAction(async () => {
    const params = { path: { session_id, message_id } };
    const path = '/api/sessions/{session_id}/queue/{message_id}';
    await must(api.PUT(path, { params, body: { prompt: text } })).finally(reload);
    end();
  }, 'Message changed');
  return (
    <>
      <label>
        <span class="visually-hidden">Queued message</span>
        <textarea
          rows={3}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && end()}
        />
      </label>
      <div class="bar">
        <button type="button" class="plain" onClick={end}>
          Discard
        </button>
        <button type="button" disabled={!text.trim() || save.isRunning} onClick={() => save.run()}>
          Save
        </button>
      </div>
      <Refusal error={save.error} />
    </>
  );
}
