import { severities, type Severity } from '../comments/comment.entity.js';
import { type Verdict, verdicts } from '../comments/agent-review.entity.js';
import { EnumField, IntField, ListField, TextField, UuidField, UuidListField } from '../platform/fields/fields.js';

export class FindingFields {
  @TextField('Path as in the diff, starting with the repository name.', {
    nonBlank: true,
    example: 'web-shop/src/health.ts',
  })
  path!: string;
  @IntField('Line in the file as it is now, from 1; of a deleted file, as it was.', { minimum: 1, example: 3 })
  line!: number;
  @EnumField(`How much it matters: one of ${severities.join(', ')}.`, severities, { example: 'major' })
  severity!: Severity;
  @TextField('What is wrong, and what to do about it.', {
    nonBlank: true,
    maxLength: 3_000,
    example: 'Answers 204 where the task asks for 200.',
  })
  text!: string;
}

export class SubmitReviewInput {
  @EnumField('approve, or request_changes where something has to change before delivery.', verdicts, {
    example: 'request_changes',
  })
  verdict!: Verdict;
  @TextField('Your judgement in a few sentences.', {
    nonBlank: true,
    maxLength: 5_000,
    example: 'The check works, but answers the wrong status.',
  })
  summary!: string;
  @ListField('What you found, at most 50.', () => FindingFields, { optional: true, example: [] })
  findings?: FindingFields[];
}

export class SubmittedReviewOutput {
  @UuidField('Review (UUID).') review_id!: string;
  @EnumField('The verdict as it is stored.', verdicts, { example: 'request_changes' }) verdict!: Verdict;
  @UuidListField('Comments that hold what you found, in order.', {}) comment_ids!: string[];
}
