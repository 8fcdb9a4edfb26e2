/** Levels of objects and arrays that any input may have; checks beyond it could exhaust the stack. */
export const MAX_NESTING = 64;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** True where objects and arrays stand in each other more than `limit` levels deep. Level by level, so that no depth exhausts the stack. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  let level = [value].filter(isObject);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((node) => Object.values(node).filter(isObject));
  }
  return false;
}
