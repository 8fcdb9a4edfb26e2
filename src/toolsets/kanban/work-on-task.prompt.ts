import type { PromptDefinition } from '../../mcp/tool.js';

/** Walks an agent through the loop for one task. */
export const workOnTask: PromptDefinition = {
  name: 'work_on_task',
  title: 'Work on a task',
  description: 'Guides you through the loop for one task: start, status, logs, changes, follow-up or stop.',
  arguments: [
    { name: 'task_id', description: 'Task id (UUID), from list_tasks.', required: true },
    {
      name: 'executor',
      description: 'Executor, from list_executors. Default: any available one.',
      required: false,
    },
  ],
  opening: ({ task_id, executor }) =>
    `Complete task ${task_id}. ` +
    (executor ? `Use executor ${executor}.` : 'Call list_executors and choose an executor with is_available true.'),
};
