/** What allocators, shells and runtimes print when the system gives them no more memory. */
const PHRASES = [
  /\bout of memory\b/i,
  /cannot allocate/i,
  /memory exhausted/i,
  /insufficient memory/i,
  /\bMemoryError\b/,
  /\bOutOfMemoryError\b/,
  /\bbad_alloc\b/,
  /allocation (of \d+ bytes )?failed/i,
];
/** A limit that a runtime sets itself is none of ours. */
const OWN_LIMIT = /heap limit|heap space/i;

/** A limit by `prlimit` is counted nowhere: that a process ran into it is seen by its last words alone. */
export const isAllocationFailure = (line: string): boolean =>
  !OWN_LIMIT.test(line) && PHRASES.some((phrase) => phrase.test(line));
