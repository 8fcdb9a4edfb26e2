import type { OperationNames } from '../../platform/errors/operations.js';

/** What reads artifacts is a tool of that very name here. */
export const kanbanNames: OperationNames = (operation) => operation;
