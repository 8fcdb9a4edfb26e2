import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import type { components } from '../generated/api.js';
import { dropDraft, useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import type { Approval } from '../types.js';

type Answer = components['schemas']['AnswerApprovalBody'];
type Choice = readonly [text: string, kind: string, answer: Answer];

const APPROVE: Choice = ['Approve', 'primary', { decision: 'approve' }];
const ALWAYS: Choice = ['Always approve this here', '', { decision: 'approve', always: true }];
const OF_HOST: readonly Choice[] = [
  ['Allow for the project', '', { decision: 'approve', for: 'project' }],
  ['Allow for this run', 'primary', { decision: 'approve', for: 'run' }],
];

interface AnswersProps {
  approval: Approval;
  answered: () => void;
}

/** What a person may say to a question; a refusal has a reason, which the agent reads. */
export function Answers({ approval, answered }: AnswersProps) {
  const { approval_id } = approval;
  const [isDenied, setDenied] = useState(false);
  const answer = useAction(async (_key, body: Answer) => {
    const params = { path: { approval_id } };
    await must(api.POST('/api/approvals/{approval_id}/answer', { params, body }));
    dropDraft(formOf(approval_id));
    answered();
  }, 'Answered');
  const deny = (reason: string) => answer.run({ decision: 'deny', reason: reason.trim() || undefined });
  return (
    <>
      {isDenied ? (
        <Denial {...{ approval_id, deny }} isBusy={answer.isRunning} back={() => setDenied(false)} />
      ) : (
        <div class="bar">
          <button type="button" class="danger" disabled={answer.isRunning} onClick={() => setDenied(true)}>
            Deny
          </button>
          {answersTo(approval).map(([text, kind, body]) => (
            <button key={text} type="button" class={kind} disabled={answer.isRunning} onClick={() => answer.run(body)}>
              {text}
            </button>
          ))}
        </div>
      )}
      <Refusal error={answer.error} />
    </>
  );
}

/** A delivery is asked for each time; so is what is too long to be compared. */
function answersTo({ requested_host, execution_process_id, input }: Approval): readonly Choice[] {
  if (requested_host !== null) return OF_HOST;
  return execution_process_id === null || input.is_truncated === true ? [APPROVE] : [ALWAYS, APPROVE];
}

const formOf = (approval_id: string) => `deny:${approval_id}`;

interface DenialProps {
  approval_id: string;
  isBusy: boolean;
  deny: (reason: string) => void;
  back: () => void;
}

function Denial({ approval_id, isBusy, deny, back }: DenialProps) {
  const [reason, setReason] = useDraft(formOf(approval_id));
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    deny(reason);
  };
  return (
    <form onSubmit={submit}>
      <label>
        Why not? The agent reads it.
        <textarea
          ref={box}
          rows={2}
          value={reason}
          placeholder="May be left empty"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <div class="bar">
        <button type="button" class="plain" onClick={back}>
          Back
        </button>
        <button class="danger" disabled={isBusy}>
          Deny
        </button>
      </div>
    </form>
  );
}
