import { BoolField, TextField } from '../platform/fields/fields.js';

/** What a caller says of the work that it has reviewed. */
const COMMIT = '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b';

export const ExpectedHeadField = () =>
  TextField('Only at this head of get_attempt_delivery.', {
    optional: true,
    blankIsAbsent: true,
    example: COMMIT,
  });
export const ExpectedContentField = () =>
  TextField('Only with this content_hash of get_attempt_delivery.', {
    optional: true,
    blankIsAbsent: true,
    example: COMMIT,
  });
export const AllowFailedField = () =>
  BoolField('True also delivers a failed or stopped run.', {
    optional: true,
    default: false,
    example: false,
  });
