import { EnumField, TextField, UuidField } from '../platform/fields/fields.js';
import { type ReviewState, reviewStates, type StandingReview, type Verdict, verdicts } from './agent-review.entity.js';

export class AgentReviewOutput {
  @EnumField('One of running, submitted, errored (no verdict: reason says why).', reviewStates, {
    example: 'submitted',
  })
  state!: ReviewState;
  @EnumField('approve or request_changes; null before it is submitted. It is no approval by a person.', verdicts, {
    nullable: true,
    example: 'approve',
  })
  verdict!: Verdict | null;
  @TextField('Its judgement, or null.', { nullable: true, example: 'Does what the task asks.' })
  summary!: string | null;
  @UuidField('Session of the reviewer (UUID); null where it could not begin.', { nullable: true })
  session_id!: string | null;
  @TextField('Executor that reviews.', { example: 'CODEX' }) executor!: string;
  @TextField('Why there is no verdict, or null.', { nullable: true, example: null }) reason!: string | null;
}

export const toReviewOutput = (review: StandingReview): AgentReviewOutput => ({
  state: review.state,
  verdict: review.verdict,
  summary: review.summary,
  session_id: review.session_id,
  executor: review.executor,
  reason: review.reason,
});
