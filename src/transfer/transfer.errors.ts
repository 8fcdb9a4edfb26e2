import { final, retryable } from '../platform/errors/error-row.js';

/** Import and export. */
export const transferErrors = {
  import_refused: final(
    400,
    'Nothing was imported: {summary}.',
    'Correct the lines that details.errors names, and send the whole again; ?dry_run=true checks without writing.',
    'Correct these lines, and try again. Nothing was imported.',
  ),
  import_in_progress: retryable(
    409,
    'Another import into the same project is under way.',
    'Wait for it to end, then send the whole again: what it has brought is not brought twice.',
    'Wait for it to end, then try again.',
  ),
  transfers_busy: retryable(
    429,
    'Two imports or exports of this caller are under way.',
    'Wait for one of them to end, then call again.',
    'Wait for one of them to end, then try again.',
  ),
};

/** What every import may be refused for. */
export const IMPORT_ERRORS = [
  'import_refused',
  'import_in_progress',
  'transfers_busy',
  'project_not_found',
  'not_a_member',
  'forbidden',
  'too_much_stored',
] as const;
