/** Bytes that the rows of one answer hold at most, as the database stores them. */
const ANSWER_BUDGET = 1_048_576;
/** What a row costs beside its long texts: ids, times, names. */
const ROW_BYTES = 512;

/** A row of a page that ends where the budget does. */
export interface Budgeted {
  /** Rows of the page before it was cut; if fewer arrived, the list goes on. */
  candidates: number;
}

interface PageColumns {
  columns: string;
  /** The columns without a narrow limit of their own; of type jsonb as `json`. */
  long: string[];
  json?: string;
  order: string;
}

/** The rows of a statement that fit the budget, at least one. Sizes are known without reading the texts, so texts that
 *  are left out are never loaded, and PostgreSQL stops at the first row beyond the budget. */
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
/** The size of a jsonb is that of its text. Small ones are stored uncompressed and need not be written out to be
 *  measured. */
const jsonBytes = (column: string): string => `
        CASE WHEN pg_column_size(${column}) < 2000 THEN pg_column_size(${column})
        ELSE octet_length(${column}::text) END`;
