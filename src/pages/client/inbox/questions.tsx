import { api, must } from '../api.js';
import type { BoardEvent } from '../feed.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import type { Approval } from '../types.js';
import { Answers } from './answers.js';
import { About } from './ended.js';
import type { QuestionNotice } from './notices.js';

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
  /** Where the question stands beside those of other tasks. */
  notice?: QuestionNotice;
  answered: () => void;
}

/** What an agent asks permission for, how long it waits, and the answers. */
export function Question({ approval, notice, answered }: QuestionProps) {
  const { summary, tool_name, input, timeout_at } = approval;
  return (
    <article class="card question">
      {notice && (
        <div class="row">
          <About notice={notice} />
        </div>
      )}
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
