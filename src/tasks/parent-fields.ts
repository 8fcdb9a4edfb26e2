/** What a task is a part of; TaskTree says what may be. */
import { UuidField } from '../platform/fields/fields.js';

/** Above a new task. */
export const ParentField = () => UuidField('UUID of the task that it is a part of.', { optional: true });

/** Above a task that is there already. */
export const NewParentField = () =>
  UuidField('UUID of the task that it becomes a part of; null: of none.', {
    optional: true,
    nullClears: true,
  });
