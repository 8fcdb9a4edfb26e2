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
    of: { key: { project_id: '$1' }, among: [LISTED, HIDDEN] },
    within: `project_id = $1 AND ${within}`,
  });

/** Of which tasks the indexes of lists are, and of which those beside them. */
export const LISTED = 'deleted_at IS NULL AND archived_at IS NULL';
export const HIDDEN = '(deleted_at IS NOT NULL OR archived_at IS NOT NULL)';

/** As the index has it. */
export const TASK_TERMS = `task_terms(number, project_id, status, title, description, priority,
          assignee_text, assignee_worker_id, tags, executors, archived_at IS NOT NULL)`;

/** Signs of task_terms. */
export const signOf = {
  project: (id: string) => `@${id}`,
  status: (status: string) => `~${status}`,
  priority: (priority: string) => `!${priority}`,
  assignee: (assignee: string) => `>${assignee}`,
  tag: (tag: string) => `#${tag}`,
  executor: (executor: string) => `&${executor}`,
  archived: '^archived',
};

/** Of a search that has either the archived tasks or those of the lists. */
export const listedOr = (archived: boolean | undefined) =>
  archived === true ? { signs: [signOf.archived] } : { signs: [], without: [signOf.archived] };
