import type { ToolDefinition } from '../tool.js';

/** Hints by which clients decide whether to ask a person first. All are explicit: absent ones default to the worst. */
export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export function annotationsOf({ title, effect, idempotent }: ToolDefinition): ToolAnnotations {
  return {
    title,
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'delete',
    idempotentHint: idempotent ?? (effect !== 'create' && effect !== 'execute'),
    openWorldHint: effect === 'execute',
  };
}
