const WHO: Readonly<Record<string, string>> = {
  setupscript: 'The setup script',
  codingagent: 'The agent',
  cleanupscript: 'The cleanup script',
  check: 'The check',
  review: 'The reviewer',
};

/** How a process ended, in words; null where something else is said of it.
 *  @param run_reason what it was; null where nobody knows */
export function wordsForExit(summary: string, run_reason: string | null = null): string | null {
  const who = WHO[run_reason ?? ''] ?? 'The run';
  const code = /^failed \(exit_code=(\d+)\)$/.exec(summary)?.[1];
  if (code !== undefined) return `${who} ended with exit code ${code}.`;
  const signal = /^ended by (SIG\w+)$/.exec(summary)?.[1];
  if (signal !== undefined) return `${who} was ended by the signal ${signal}.`;
  const why = /^could not start: (.*)/s.exec(summary)?.[1];
  return why === undefined ? null : `${who} could not start: ${why}`;
}

/** Why a run failed, as a sentence. */
export const wordsForFailure = (summary: string, run_reason: string | null = null): string =>
  wordsForExit(summary, run_reason) ?? `The run failed: ${summary}${/[.!?…]$/.test(summary) ? '' : '.'}`;
