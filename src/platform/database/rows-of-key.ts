/** A key of an index that ends with `number`: SQL of the values by its columns. */
export type Key = Record<string, string>;
/** SQL of numbers. */
export interface Range {
  from?: string;
  below?: string;
}

/** SQL of the rows of one key whose numbers are from one up to below another, for which no other index will do. With
 *  `=`, the planner drops the key from the order, and may then walk the index of all numbers, past whatever others
 *  have: in a project whose tasks are old, past all the newer ones of the server. */
export const rowsOfKey = (key: Key, { from = '0', below = `${Number.MAX_SAFE_INTEGER}` }: Range = {}): string => {
  const columns = `(${[...Object.keys(key), 'number'].join(', ')})`;
  const values = (number: string) => `(${[...Object.values(key), number].join(', ')})`;
  return `${columns} < ${values(below)} AND ${columns} >= ${values(from)}`;
};

/** The order of these rows: by the whole key. */
export const orderOfKey = (key: Key, direction: 'ASC' | 'DESC' = 'DESC'): string =>
  [...Object.keys(key), 'number'].map((column) => `${column} ${direction}`).join(', ');
