const LABEL = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/;
/** The pool of turns that need no label, so that no label has this name. */
const DEFAULT_POOL = 'default';
const MOST_LABELS = 20;

/** Labels of runners, or of what needs them: each once, sorted. @throws Error that says what is wrong */
export function sortedLabels(given: readonly string[]): string[] {
  const wrong = given.find((label) => !LABEL.test(label) || label === DEFAULT_POOL);
  if (wrong !== undefined)
    throw new Error(
      `"${wrong}" is no label: up to 63 lower-case letters, digits, dots, hyphens and underscores, and not ` +
        DEFAULT_POOL,
    );
  const labels = [...new Set(given)].sort();
  if (labels.length > MOST_LABELS) throw new Error(`there may be ${MOST_LABELS} labels`);
  return labels;
}
