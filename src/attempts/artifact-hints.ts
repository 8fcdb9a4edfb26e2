import { renderHint } from '../platform/errors/hint.js';
import type { OperationNames } from '../platform/errors/operations.js';

const blockedHints: Record<string, string> = {
  threshold_exceeded:
    'The change exceeds the diff guard. Call again with force=true, ' +
    'or ask {op:get_attempt_patch} for a few paths with force=true.',
  summary_failed:
    'The summary could not be computed. Call again with force=true, or read single files with {op:get_attempt_file}.',
  path_outside_workspace:
    'Use a path that starts with the repository name and stays inside it; {op:get_attempt_changes} lists valid ones.',
  too_many_paths: 'Narrow the request to at most 100 paths; a folder includes everything below it.',
  not_a_file: 'Only regular files can be read; {op:get_attempt_changes} lists the changed ones.',
};

interface Limited {
  attempt_id: string;
  blocked: boolean;
  blocked_reason: string | null;
  truncated: boolean;
}

/** Hint templates that differ from tool to tool. */
interface OwnHints {
  cut: string;
  size_exceeded?: string;
}

/** The same answer with a hint if it is blocked or truncated, otherwise with null. */
export function withHint<T extends Limited>(
  answer: T,
  names: OperationNames,
  { cut, size_exceeded = '' }: OwnHints,
): T & { hint: string | null } {
  const template = answer.blocked
    ? { ...blockedHints, size_exceeded }[answer.blocked_reason ?? '']
    : answer.truncated
      ? cut
      : undefined;
  return {
    ...answer,
    hint: template === undefined ? null : renderHint(template, { attempt_id: answer.attempt_id }, names),
  };
}
