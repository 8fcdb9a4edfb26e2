import { useAction } from '../action.js';
import { api, must } from '../api.js';
import type { BoardEvent } from '../feed.js';
import { Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import type { Approval } from '../types.js';

const isApproval = ({ type }: BoardEvent) => type.startsWith('taskyard.approval.');

/** Open questions, of one attempt or of all that the caller may see. */
export function useQuestions(attempt_id?: string) {
  const query = { status: 'pending' as const, attempt_id };
  return useResource(
    `questions:${attempt_id ?? ''}`,
    () => must(api.GET('/api/approvals', { params: { query } })),
    isApproval,
  );
}

export function QuestionsOf({ attempt_id }: { attempt_id: string }) {
  const { data, reload } = useQuestions(attempt_id);
  if (!data?.approvals.length) return null;
  return (
    <section class="questions" aria-label="Questions of the agent">
      {data.approvals.map((approval) => (
        <Question key={approval.approval_id} approval={approval} answered={reload} />
      ))}
    </section>
  );
}

interface Answer {
  decision: 'approve' | 'deny';
  for?: 'run' | 'project';
}
type Choice = readonly [text: string, kind: string, answer: Answer];

const DENY: Choice = ['Deny', 'danger', { decision: 'deny' }];
const ANSWERS: readonly Choice[] = [DENY, ['Approve', 'primary', { decision: 'approve' }]];
const HOST_ANSWERS: readonly Choice[] = [
  DENY,
  ['Allow for the project', '', { decision: 'approve', for: 'project' }],
  ['Allow for this run', 'primary', { decision: 'approve', for: 'run' }],
];

/** What an agent asks permission for, how long it waits, and the answers. */
export function Question({ approval, answered }: { approval: Approval; answered: () => void }) {
  const { approval_id, summary, tool_name, input, timeout_at, requested_host } = approval;
  const answer = useAction(async (_key, body: Answer) => {
    const params = { path: { approval_id } };
    await must(api.POST('/api/approvals/{approval_id}/answer', { params, body }));
    answered();
  }, 'Answered');
  const answers = requested_host === null ? ANSWERS : HOST_ANSWERS;
  return (
    <article class="card question">
      <h3>{summary}</h3>
      <p class="quiet">
        {tool_name}
        {timeout_at !== null && (
          <>
            {' '}
            · ends <Time at={timeout_at} />
          </>
        )}
      </p>
      <details>
        <summary>What exactly</summary>
        <pre>{JSON.stringify(input, null, 2)}</pre>
      </details>
      <div class="bar">
        {answers.map(([text, kind, body]) => (
          <button key={text} type="button" class={kind} disabled={answer.isRunning} onClick={() => answer.run(body)}>
            {text}
          </button>
        ))}
      </div>
      <Refusal error={answer.error} />
    </article>
  );
}
