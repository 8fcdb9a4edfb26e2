import { RecordField, TextField } from '../fields/fields.js';
import type { ErrorDetails } from './app-error.js';

export const NextField = () =>
  RecordField('The call that hint leads to; absent without one.', {
    optional: true,
    example: { method: 'GET', path: '/api/projects' },
  });

/** What an answer says that withholds something. */
export class WordedOutput {
  @TextField('What to do next if something is withheld, or null.', { nullable: true, example: null }) hint!:
    string | null;
  @NextField() next?: object;
}

/** Words the template of a hint for whoever asked, with the call that it leads to. */
export type Wording = (template: string, facts?: ErrorDetails) => WordedOutput;
