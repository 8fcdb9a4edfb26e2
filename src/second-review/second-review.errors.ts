import { final } from '../platform/errors/error-row.js';

/** Verdicts of reviewers. */
export const secondReviewErrors = {
  review_submitted: final(
    409,
    'The review was submitted before, and stands as it is.',
    'End the turn; there is nothing left to do.',
  ),
};
