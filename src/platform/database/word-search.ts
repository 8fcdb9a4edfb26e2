/** Search by words, as the SQL function words_of cuts them, and by terms, as terms_of makes them. */
import { TextField } from '../fields/fields.js';
import { type Key, orderOfKey, type Range, rowsOfKey } from './rows-of-key.js';

export const MAX_QUERY = 200;
export const QueryField = (where: string) =>
  TextField(`Words or their beginnings, all in ${where}.`, {
    optional: true,
    blankIsAbsent: true,
    maxLength: MAX_QUERY,
    example: 'health check',
  });

/** What holds no word finds nothing. */
export const wordsIn = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? ['!'];

/** As a `tsquery`: every word, as a prefix. */
export const wordQuery = (query: string): string =>
  wordsIn(query)
    .map((word) => `'${word}':*`)
    .join(' & ');

/** Stands before each term for its block. */
const BLOCK = '\u0001';
/** Characters of a term. */
const MAX_TERM = 200;

const term = (text: string): string => {
  const cut = [...text.replaceAll(BLOCK, '')].slice(0, MAX_TERM).join('');
  return `'${BLOCK}${cut.replace(/['\\]/g, '$&$&')}'`;
};

interface Sought {
  words?: string;
  /** Which words may be beginnings. */
  begun?: 'all' | 'last';
  /** Signs with values, all of which a record has; of alternatives it has one. */
  signs?: readonly (string | readonly string[])[];
  /** Signs of which a record has none. */
  without?: readonly string[];
}

/** All of it as the query of a walk, without a block. */
export function termQuery({ words, begun = 'all', signs = [], without = [] }: Sought): string {
  const said = words === undefined ? [] : wordsIn(words);
  return [
    ...signs.map((sign) => `(${[sign].flat().map(term).join(' | ')})`),
    ...said.map((word, at) => (begun === 'all' || at === said.length - 1 ? `${term(word)}:*` : term(word))),
    ...without.map((sign) => `!${term(sign)}`),
  ].join(' & ');
}

interface Walk {
  /** By their names: `number`, and all that is asked of a row. */
  columns: string;
  table: string;
  /** Predicate and expression of the index of terms. */
  indexed: string;
  terms: string;
  /** SQL of a text that termQuery has made. */
  query: string;
  /** SQL of the number below which the walk begins. */
  below: string;
  /** Whose rows may match: a key, and the predicates of its indexes with `number`. Without one, anybody's. */
  of?: { key: Key; among: readonly string[] };
  /** What else is asked of a row. */
  within: string;
  limit: string;
}

/** SQL of rows by terms, newest first, from block to block (SQL functions terms_of and blocks_of_walk) until there are
 *  enough; blocks in which nobody asked for has a row are passed over. That the blocks come in order keeps the rows in
 *  order: to sort them outside would walk all blocks. The fence leaves the planner nothing but the index of terms,
 *  whatever it thinks that a query of terms selects. */
export const walk = ({
  columns,
  table,
  indexed,
  terms,
  query,
  below,
  of: { key, among } = { key: {}, among: ['true'] },
  within,
  limit,
}: Walk): string => {
  const one = (column: string, direction: 'ASC' | 'DESC', range?: Range) =>
    among.map(
      (which) => `(
        SELECT ${column} FROM ${table}
        WHERE ${which} AND ${rowsOfKey(key, range)}
        ORDER BY ${orderOfKey(key, direction)} LIMIT 1
      )`,
    );
  const newest = `least(${below} - 1, greatest(${one('number', 'DESC').join(', ')}))`;
  const oldest = `least(${one('number', 'ASC').join(', ')})`;
  const isOwned = one('true', 'DESC', { from: 'block.first', below: 'block.last + 1' }).join(' OR ');
  return `
    SELECT ${columns}
    FROM blocks_of_walk(${newest}, ${oldest}) block
    CROSS JOIN LATERAL (
      SELECT ${columns}
      FROM (
        SELECT ${columns} FROM ${table}
        WHERE ${indexed} AND ${terms} @@ replace(${query}, chr(1), block.name || '.')::tsquery
        OFFSET 0
      ) found
      WHERE number BETWEEN block.first AND block.last AND ${within}
      ORDER BY number DESC LIMIT ${limit}
    ) found
    WHERE ${isOwned}
    LIMIT ${limit}`;
};
