const blockedHints: Record<string, string> = {
  threshold_exceeded: 'The change is larger than the guard allows. Call again with force=true, or ask get_attempt_patch for a few paths with force=true.',
  summary_failed: 'The figures could not be computed. Call again with force=true, or read single files with get_attempt_file.',
  path_outside_workspace: 'Use a path that starts with the repository name and stays inside it; get_attempt_changes lists valid ones.',
  size_exceeded: 'Ask for fewer bytes: lower max_bytes and page with start, or narrow paths.',
  too_many_paths: 'Ask for at most 100 paths; a folder stands for what is below it.',
  not_a_file: 'Only regular files can be read; get_attempt_changes lists changed ones.',
};

/** The way on from a blocked or cut answer; null where there is nothing to say. */
export function artifactHint(answer: { blocked: boolean; blocked_reason: string | null; truncated: boolean }, whenCut = 'The list was cut at its cap; narrow it with get_attempt_patch.'): string | null {
  if (answer.blocked) return blockedHints[answer.blocked_reason ?? ''] ?? null;
  return answer.truncated ? whenCut : null;
}
