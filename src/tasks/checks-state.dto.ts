import { EnumField } from '../platform/fields/fields.js';

/** errored: a check could not tell, which is not the fault of the work. stale: what it was about has moved. */
export const checkStates = ['pending', 'running', 'passed', 'failed', 'errored', 'skipped', 'stale'] as const;
/** Of one check, and of all that are required together. */
export type CheckState = (typeof checkStates)[number];

export const ChecksStateField = () =>
  EnumField(`Of its checks: ${checkStates.join(', ')}; null: none.`, checkStates, { nullable: true, example: null });
