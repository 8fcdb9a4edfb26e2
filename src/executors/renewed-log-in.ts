import { isObject, type Json, parseObject } from './agent/json.js';

/** The file of a log-in with what a run has renewed: of its keys only those that are named, and of the same type as
 *  before, so that nothing else of what the run wrote gets into it.
 *  @returns null where nothing is new, or one of them is no JSON object */
export function renewedLogIn(given: string, left: string, keys: readonly string[]): string | null {
  const [before, after] = [parseObject(given), parseObject(left)];
  if (before === null || after === null) return null;
  const isNew = keys.map((key) => take(before, after, key.split('.'))).includes(true);
  return isNew ? `${JSON.stringify(before, null, 2)}\n` : null;
}

function take(to: Json, from: Json, [name = '', ...rest]: readonly string[]): boolean {
  const names = name === '*' ? Object.keys(to) : [name].filter((one) => Object.hasOwn(to, one));
  return names
    .map((one) => {
      const [before, after] = [to[one], Object.hasOwn(from, one) ? from[one] : undefined];
      if (rest.length > 0) return isObject(before) && isObject(after) && take(before, after, rest);
      if (!isToken(before) || typeof after !== typeof before || after === before) return false;
      to[one] = after;
      return true;
    })
    .includes(true);
}

const isToken = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
