import type { Attempt } from '../attempts/attempt.entity.js';

interface MergedTask {
  title: string;
  description: string | null;
}

/** Title and first paragraph of the task, or what the caller gave, with trailers that name the attempt. Nothing that
 *  an agent said. */
export function mergeMessage(attempt: Pick<Attempt, 'id' | 'task_id'>, task: MergedTask, given?: string): string {
  const paragraph = task.description?.trim().split(/\n\s*\n/)[0] ?? '';
  const text = given?.trim() || [task.title.trim(), paragraph].filter(Boolean).join('\n\n');
  return `${text}\n\nTaskyard-Task: ${attempt.task_id}\nTaskyard-Attempt: ${attempt.id}\n`;
}
