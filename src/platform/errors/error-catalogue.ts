import { accessErrors } from './access-errors.js';
import type { ErrorRow } from './error-row.js';
import { requestErrors } from './request-errors.js';
import { serverErrors } from './server-errors.js';

export type { ErrorRow } from './error-row.js';

const platformErrors = { ...requestErrors, ...accessErrors, ...serverErrors };

/** Tables by who gathers them; `src/error-catalogue.ts` adds those of the rooms above.
 *  @public */
export interface ErrorTables {
  platform: typeof platformErrors;
}

type KeysOf<Table> = Table extends unknown ? keyof Table : never;
export type ErrorCode = KeysOf<ErrorTables[keyof ErrorTables]>;

/** Every error by its code, complete once `src/error-catalogue.ts` is loaded. */
export const errorCatalogue = { ...platformErrors } as Record<ErrorCode, ErrorRow>;
