import { final } from '../platform/errors/error-row.js';

/** Executors and their variants. */
export const executorErrors = {
  executor_unknown: final(
    400,
    'Executor {executor} does not exist.',
    'Call {next:list_executors} and pass one of its executor values: {known}.',
    'Choose another executor.',
  ),
  executor_unavailable: final(
    503,
    'Executor {executor} is not available here: {reason}.',
    'Call {next:list_executors} and choose one of those.',
    'Choose another executor.',
  ),
  executor_without_mcp: final(
    409,
    'Executor {executor} calls no tools of this server, by which a reviewer gives its verdict.',
    'Choose one that speaks MCP: supports_mcp of {next:list_executors} says which do.',
    'Choose another executor.',
  ),
  variant_unknown: final(
    400,
    'Executor {executor} has no variant {variant}.',
    'Leave variant out, or pass one of: {known}. {next:list_executors} lists them.',
    'Choose one of these: {known}.',
  ),
};
