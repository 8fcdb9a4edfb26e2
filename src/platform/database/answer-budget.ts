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
 *  that what the page leaves out is never loaded; and none is asked for behind the end of the page, as PostgreSQL stops
 *  at the first row that a growing count rules out. */
export function withinBudget(page: string, { columns, long, json, order }: PageColumns): string {
  const size = [ROW_BYTES, ...long.map(textBytes), ...(json ? [jsonBytes(json)] : [])].join(' + ');
  const soFar = `OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
  return `
  SELECT ${columns}, candidates
  FROM (
    SELECT ${columns}, candidates,
      count(CASE WHEN place > 1 AND bytes > ${ANSWER_BUDGET} THEN 1 END) ${soFar} AS beyond
    FROM (
      SELECT ${columns}, candidates, place, sum(size) ${soFar} AS bytes
      FROM (
        SELECT ${columns}, (count(*) OVER ())::int AS candidates, row_number() OVER (ORDER BY ${order}) AS place,
          ${size} AS size
        FROM (${page}) page
      ) page
    ) page
  ) page
  WHERE beyond < 1
  ORDER BY ${order}`;
}

const textBytes = (column: string): string => `coalesce(octet_length(${column}), 0)`;
/** A jsonb has no size but that of its text. What is stored small is not compressed, and need not be written out. */
const jsonBytes = (column: string): string => `
        CASE WHEN pg_column_size(${column}) < 2000 THEN pg_column_size(${column})
        ELSE octet_length(${column}::text) END`;
