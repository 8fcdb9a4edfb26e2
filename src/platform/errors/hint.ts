import { type ErrorDetails, fill } from './app-error.js';
import type { Operation, OperationNames } from './operations.js';

/** `{op:get_task}` becomes what the surface calls it, `{task_id}` the fact. In one pass, so that a fact is never read
 *  as a placeholder. A path keeps the placeholders for which there is no fact. */
export function renderHint(template: string, facts: ErrorDetails, names: OperationNames): string {
  const known = (text: string) =>
    text.replace(/\{(\w+)\}/g, (all, name: string) => (name in facts ? String(facts[name]) : all));
  return template.replace(/\{(?:op:)?(\w+)\}/g, (all, name: string) =>
    all.startsWith('{op:') ? known(names(name as Operation)) : fill(all, facts),
  );
}
