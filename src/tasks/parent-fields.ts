/** What a task is a part of; TaskTree says what may be. */
import { UuidField } from '../platform/fields/fields.js';

/** Above a new task. */
export const ParentField = () => UuidField('Task of the same project that it is a part of (UUID).', { optional: true });

/** Above a task that is there already. */
export const NewParentField = () =>
  UuidField('Task of the same project that it becomes a part of (UUID); null: of none.', {
    optional: true,
    nullClears: true,
  });
