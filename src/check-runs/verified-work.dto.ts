import { AttemptChecksOutput } from '../checks/attempt-checks.dto.js';
import { AgentReviewOutput } from '../comments/agent-review.dto.js';
import { ObjectField } from '../platform/fields/fields.js';

export class VerifiedWorkOutput extends AttemptChecksOutput {
  @ObjectField('The newest review by a second agent, or null.', () => AgentReviewOutput, {
    nullable: true,
    example: null,
  })
  review!: AgentReviewOutput | null;
}
