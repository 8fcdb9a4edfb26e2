import { BoolField, EnumField, IntField } from '../platform/fields/fields.js';
import { ChangesInput, FileInput, PatchInput } from './artifact.dto.js';

// What REST takes beyond the tools, for it is where people review.

const SinceReviewField = () =>
  BoolField('True shows only what has changed since the caller last sent comments, if that is known.', {
    optional: true,
    default: false,
    example: false,
  });

export class ReviewedChangesInput extends ChangesInput {
  @SinceReviewField() since_review?: boolean;
}

export class ReviewedPatchInput extends PatchInput {
  @SinceReviewField() since_review?: boolean;
  @IntField('Unchanged lines around each change. Default 3.', {
    optional: true,
    minimum: 0,
    maximum: 100_000,
    default: 3,
    example: 25,
  })
  context_lines?: number;
  @BoolField('True takes lines that differ in white space alone for the same.', {
    optional: true,
    default: false,
    example: false,
  })
  ignore_whitespace?: boolean;
}

const fileSides = ['old', 'new'] as const;

export class ReviewedFileInput extends FileInput {
  @EnumField(
    'Which state is read, as the changes show it: old (before them) or new (after them). Default: what of says.',
    fileSides,
    {
      optional: true,
      example: 'old',
    },
  )
  side?: (typeof fileSides)[number];
  @SinceReviewField() since_review?: boolean;
}
