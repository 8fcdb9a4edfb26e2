import { ObjectField, TextField } from '../platform/fields/fields.js';

export class OverrideInput {
  @TextField('Why it is delivered all the same. It is recorded, and stands in the text of a pull request.', {
    nonBlank: true,
    maxLength: 2_000,
    example: 'The check needs a service that is down today.',
  })
  reason!: string;
}

/** For people over REST alone: what agents are offered has no such field. */
export const OverrideField = () =>
  ObjectField('Deliver although checks have not passed; for people with the right to deliver.', () => OverrideInput, {
    optional: true,
    example: { reason: 'The check needs a service that is down today.' },
  });

export interface Overriding {
  override?: OverrideInput;
}
