const ABBREVIATED = /^[0-9a-f]{7,}$/;

/** Whether a caller names this commit, in full or by at least its first seven digits. */
export function isCommit(given: string, id: string): boolean {
  const wanted = given.trim().toLowerCase();
  return ABBREVIATED.test(wanted) && id.startsWith(wanted);
}

/** As long as a name of git's, so that nothing has to be looked up. */
export const isWhole = (given: string): boolean => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(given);
