/** Search by words, as the SQL function words_of cuts them. */
import { TextField } from '../fields/fields.js';

export const QueryField = (where: string) =>
  TextField(`Words or their beginnings, all in ${where}.`, {
    optional: true,
    blankIsAbsent: true,
    maxLength: 200,
    example: 'health check',
  });

/** As a `tsquery`: every word, as a prefix, in the project; what holds no word finds nothing.
 *  @param project_id null searches in all */
export function wordQuery(query: string, project_id: string | null): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? ['!'];
  const place = project_id === null ? [] : [`'@${project_id}'`];
  return [...place, ...words.map((word) => `'${word}':*`)].join(' & ');
}
