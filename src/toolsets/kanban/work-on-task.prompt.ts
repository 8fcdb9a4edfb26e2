import type { PromptDefinition } from '../../mcp/tool.js';

/** Walks an agent through the loop for one task. */
export const workOnTask: PromptDefinition = {
  name: 'work_on_task',
  title: 'Work on a task',
  description: 'Walks through the loop for one task: start, status, logs, changes, follow-up or stop.',
  arguments: [
    { name: 'task_id', description: 'The task (UUID), from list_tasks.', required: true },
    {
      name: 'executor',
      description: 'The executor, from list_executors. Default: choose an available one.',
      required: false,
    },
  ],
  opening: ({ task_id, executor }) =>
    `Get task ${task_id} done. ${executor ? `Use executor ${executor}.` : 'Call list_executors and choose one with is_available true.'}`,
};
