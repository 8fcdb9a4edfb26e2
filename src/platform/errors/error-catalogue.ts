import { accessErrors } from './access-errors.js';
import { boardErrors } from './board-errors.js';
import { deliveryErrors } from './delivery-errors.js';
import type { ErrorRow } from './error-row.js';
import { forgeErrors } from './forge-errors.js';
import { requestErrors } from './request-errors.js';
import { serverErrors } from './server-errors.js';
import { workErrors } from './work-errors.js';

export type { ErrorRow } from './error-row.js';

/** Every error code of the server. */
export const errorCatalogue = {
  ...requestErrors,
  ...accessErrors,
  ...boardErrors,
  ...workErrors,
  ...deliveryErrors,
  ...forgeErrors,
  ...serverErrors,
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;
