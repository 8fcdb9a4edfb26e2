import { final } from '../platform/errors/error-row.js';

export const continuationErrors = {
  continuation_gone: final(
    409,
    'Nothing is due by that id any more: it was sent or dropped, or did not help.',
    'GET /api/attempts/{attempt_id}/continuations lists what is due and what became of the rest.',
    'Look at the attempt: it may have gone on.',
  ),
};
