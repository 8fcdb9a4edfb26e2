import { api, must } from '../api.js';
import type { BoardEvent } from '../feed.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import type { Approval } from '../types.js';
import { Answers } from './answers.js';
import { Whose } from './whose.js';

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

interface QuestionProps {
  approval: Approval;
  answered: () => void;
  /** It stands apart from its attempt, and says whose it is. */
  isApart?: boolean;
}

/** What an agent asks permission for, how long it waits, and the answers. */
export function Question({ approval, answered, isApart = false }: QuestionProps) {
  const { summary, tool_name, input, timeout_at } = approval;
  return (
    <article class="card question">
      {isApart && <Whose attempt_id={approval.attempt_id} />}
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
      <Answers approval={approval} answered={answered} />
    </article>
  );
}
