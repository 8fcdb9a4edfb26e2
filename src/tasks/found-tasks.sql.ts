import { walk } from '../platform/database/word-search.js';

interface Search {
  columns: string;
  query: string;
  below: string;
  within: string;
  limit: string;
}

/** SQL of the tasks of the project $1 that match terms, newest first. */
export const foundTasks = ({ within, ...search }: Search): string =>
  walk({
    ...search,
    columns: `${search.columns}, project_id`,
    table: 'tasks',
    indexed: 'deleted_at IS NULL',
    terms: TASK_TERMS,
    among: 'project_id = $1 AND deleted_at IS NULL',
    within: `project_id = $1 AND ${within}`,
  });

/** As the index has it. */
export const TASK_TERMS = `task_terms(number, project_id, status, title, description, priority,
          assignee_text, assignee_worker_id, tags, executors)`;

/** Signs of task_terms. */
export const signOf = {
  project: (id: string) => `@${id}`,
  status: (status: string) => `~${status}`,
  priority: (priority: string) => `!${priority}`,
  assignee: (assignee: string) => `>${assignee}`,
  tag: (tag: string) => `#${tag}`,
  executor: (executor: string) => `&${executor}`,
};
