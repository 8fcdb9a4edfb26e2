import { AppError } from './app-error.js';
import type { ErrorCode } from './error-catalogue.js';

/** Database constraint → what its violation means. The database decides races; nothing is checked first. */
const constraintCodes: Record<string, ErrorCode> = {
  executions_one_live: 'session_busy',
  deliveries_one_landing: 'repo_locked',
  pull_requests_one_open: 'repo_locked',
  pull_requests_forge_key: 'repo_locked',
  projects_slug_key: 'slug_taken',
  repos_name_key: 'repo_name_taken',
  attempt_repos_repo_fkey: 'repo_in_use',
  workers_handle_key: 'handle_taken',
  workers_user_key: 'user_taken',
  project_members_pkey: 'already_member',
  project_groups_pkey: 'already_member',
};

/** SQLSTATE (or its class, two characters) and Node's network codes → our code. */
const driverCodes: Record<string, ErrorCode> = {
  53100: 'storage_full',
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
  53300: 'database_unavailable',
  '08': 'database_unavailable',
  '57': 'database_unavailable',
  25006: 'database_unavailable',
  40001: 'write_conflict',
  '40P01': 'write_conflict',
  ECONNREFUSED: 'database_unavailable',
  ECONNRESET: 'database_unavailable',
  EPIPE: 'database_unavailable',
  ETIMEDOUT: 'database_unavailable',
  EHOSTUNREACH: 'database_unavailable',
  ENETUNREACH: 'database_unavailable',
  ENOTFOUND: 'database_unavailable',
  EAI_AGAIN: 'database_unavailable',
};

/** Messages of the driver, in lower case, that come without a code or with one that is too general (ENOENT). */
const driverTexts = [
  'connect enoent',
  'connect eagain',
  'connection terminated',
  'timeout exceeded when trying to connect',
  'client has encountered a connection error and is not queryable',
  'client was closed and is not queryable',
  'query read timeout',
  'query runner already released',
  'cannot use a pool after calling end',
  'driver not connected',
];

interface DriverError {
  code?: string;
  constraint?: string;
  message?: string;
  driverError?: DriverError;
}

/** The refusal an error of the database or the system stands for; null where it is a fault of ours. */
export function toAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const source = sourceOf(error);
  const code =
    source &&
    (constraintCodes[source.constraint ?? ''] ?? driverCode(source.code ?? '') ?? textCode(source.message ?? ''));
  return code ? new AppError(code) : null;
}

/** TypeORM wraps what the driver throws. */
const sourceOf = (error: unknown): DriverError | null =>
  (error as DriverError | null)?.driverError ?? (error as DriverError | null);
const driverCode = (code: string): ErrorCode | undefined =>
  driverCodes[code] ?? (/^\d/.test(code) ? driverCodes[code.slice(0, 2)] : undefined);
const textCode = (message: string): ErrorCode | undefined =>
  driverTexts.some((text) => message.toLowerCase().includes(text)) ? 'database_unavailable' : undefined;
