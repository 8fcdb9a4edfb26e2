import { final } from '../platform/errors/error-row.js';

/** Executors and their variants. */
export const executorErrors = {
  executor_unknown: final(
    400,
    'Executor {executor} does not exist.',
    'Call {op:list_executors} and pass one of its executor values: {known}.',
  ),
  executor_unavailable: final(
    503,
    'Executor {executor} is not available here: {reason}.',
    'Call {op:list_executors} and choose an executor with is_available true.',
  ),
  variant_unknown: final(
    400,
    'Executor {executor} has no variant {variant}.',
    'Leave variant out, or pass one of: {known}. {op:list_executors} lists them.',
  ),
};
