import { final, retryable } from '../platform/errors/error-row.js';

/** What people and reviewing agents say about lines of an attempt. */
export const commentErrors = {
  comment_not_found: final(
    404,
    'The comment does not belong to this attempt.',
    'Take comment_id from GET /api/attempts/{attempt_id}/comments, or from {next:get_pull_request}.',
    'Somebody has deleted it meanwhile.',
  ),
  comment_sent: final(
    409,
    'The comment was sent to the agent already.',
    'Its turn answers it; what is to be added to it is a comment of its own.',
  ),
  comment_changed: retryable(
    409,
    'The comment was changed while it was being sent; nothing was sent.',
    'Call again: what it says now is sent then.',
    'Read what it says now, then send again.',
  ),
  review_submitted: final(
    409,
    'The review was submitted before, and stands as it is.',
    'End the turn; there is nothing left to do.',
  ),
  too_many_comments: final(
    409,
    'The attempt has {most} comments; that is the most.',
    'Delete some that are answered, or say the rest in one message with {op:follow_up}.',
    'Delete some that are answered, or say the rest in one message.',
  ),
};
