import { final, retryable } from '../platform/errors/error-row.js';

/** Requests that are sent again. */
export const idempotencyErrors = {
  idempotency_key_not_found: final(
    404,
    'No request with the key {key} is known.',
    'The request never arrived, was refused, or has expired: send it again with the same key.',
  ),
  idempotency_conflict: final(
    409,
    'This request_id was already used for a different request.',
    'Generate a new request_id for a new request; repeat the same arguments to get the first result.',
    'What was sent first counts. Reload the page to see it.',
  ),
  idempotency_in_progress: retryable(
    409,
    'The first request with this request_id is still in progress.',
    'Retry with the same request_id and the same arguments in a few seconds.',
    'The first try is still under way: wait a moment.',
  ),
};
