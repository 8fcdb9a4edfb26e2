import { MAX_QUERY } from '../platform/database/word-search.js';
import { EnumField, EnumListField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { LimitField } from '../platform/fields/paging.js';

/** What is searched, in the order of a cursor's parts. */
export const searchKinds = ['task', 'message', 'answer', 'comment'] as const;
export type SearchKind = (typeof searchKinds)[number];

export const USUAL_RESULTS = 20;
export const MAX_RESULTS = 50;
const KINDS = 'task (title and text), message (what agents were told), answer (how they ended) or comment (on lines)';

export class SearchInput {
  @TextField('Words that a text has to hold, in any order and case; the last one may be the beginning of a word.', {
    nonBlank: true,
    maxLength: MAX_QUERY,
    example: 'health check',
  })
  q!: string;
  @EnumListField(`Only these kinds: ${KINDS}. Default: all.`, searchKinds, { optional: true, example: ['task'] })
  kinds?: SearchKind[];
  @UuidField('Only this project (UUID). Default: all that you see.', { optional: true }) project_id?: string;
  @TextField('next_cursor of the previous page.', { optional: true, blankIsAbsent: true, maxLength: 100 })
  cursor?: string;
  @LimitField(USUAL_RESULTS, MAX_RESULTS) limit?: number;
}

export class SearchResultOutput {
  @EnumField(`What was found: ${KINDS}.`, searchKinds, { example: 'message' }) kind!: SearchKind;
  @UuidField('Task that it belongs to (UUID).') task_id!: string;
  @UuidField('Attempt that it belongs to (UUID); absent where it belongs to the task.', { optional: true })
  attempt_id?: string;
  @UuidField('Project of the task (UUID).') project_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @TextField('The text around the first word.', { example: '… let the health check answer within 10 ms …' })
  excerpt!: string;
  @TimeField('When it was written (RFC 3339).') at!: string;
}

export class SearchOutput {
  @ListField('What was found, newest first.', () => SearchResultOutput) results!: SearchResultOutput[];
  @TextField('Pass as cursor to get the next page; null at the end.', { nullable: true, example: null })
  next_cursor!: string | null;
}
