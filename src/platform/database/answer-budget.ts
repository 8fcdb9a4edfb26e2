/** Bytes that the rows of one answer hold at most, as the database stores them. */
export const ANSWER_BUDGET = 1_048_576;
/** What a row costs beside its long texts: ids, times, names. */
const ROW_BYTES = 512;

/** A row of a page that ends where the budget does. */
export interface Budgeted {
  /** Rows that the page had before it was cut: more than came mean that the list goes on. */
  candidates: number;
}

interface PageColumns {
  columns: string;
  /** The columns without a narrow limit of their own; of type jsonb as `json`. */
  long: string[];
  json?: string;
  order: string;
}

/** The rows of a statement as far as the budget goes, at least one. The sizes are known without reading the texts, so
 *  that what the page leaves out is never loaded. */
export function withinBudget(page: string, { columns, long, json, order }: PageColumns): string {
  const size = [ROW_BYTES, ...long.map(textBytes), ...(json ? [jsonBytes(json)] : [])].join(' + ');
  return `
  SELECT ${columns}, candidates
  FROM (
    SELECT ${columns}, (count(*) OVER ())::int AS candidates, row_number() OVER (ORDER BY ${order}) AS place,
      sum(${size}) OVER (ORDER BY ${order}) AS bytes
    FROM (${page}) page
  ) page
  WHERE place = 1 OR bytes <= ${ANSWER_BUDGET}
  ORDER BY ${order}`;
}

const textBytes = (column: string): string => `coalesce(octet_length(${column}), 0)`;
/** A jsonb has no size but that of its text. What is stored small is not compressed, and need not be written out. */
const jsonBytes = (column: string): string => `
        CASE WHEN pg_column_size(${column}) < 2000 THEN pg_column_size(${column})
        ELSE octet_length(${column}::text) END`;
