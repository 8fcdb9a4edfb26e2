import { final } from '../platform/errors/error-row.js';

/** What live runs and records that belong together forbid. */
export const workErrors = {
  project_in_use: final(
    409,
    'The project has a live run.',
    'Stop its attempts with {op:stop_attempt} first.',
    'Stop its attempts first.',
  ),
  executor_takes_scripts: final(
    400,
    'Executor {executor} executes what it is sent as a script; words for an agent are not sent to it.',
    'Send a script that does the work in prompt, without resolve and comment_ids; or let an agent do it: ' +
      '{op:start_task_attempt}.',
    'Send a script that does the work, or start a new attempt with an agent.',
  ),
  repo_not_in_project: final(
    400,
    'The repository does not belong to the project of this task.',
    'Call {next:list_repos} and use one of its repo_id values.',
  ),
  task_has_subtasks: final(
    409,
    'Cannot delete task with subtasks',
    'Delete its subtasks first: {subtasks}.',
    'Delete its subtasks first.',
  ),
  restore_too_late: final(
    409,
    'The task cannot be restored: it was deleted more than a day ago, or with its project.',
    'Unmerged branches of its attempts are still in their repositories; create a new task to go on from one.',
  ),
  parent_deleted: final(
    409,
    'The task is below another, which is deleted.',
    'Restore that one first: POST /api/tasks/{parent_task_id}/restore.',
    'Restore that one first.',
  ),
  task_running: final(
    409,
    'The task has a live run.',
    '{next:get_attempt_status wait_ms=20000} waits for it. Or call {op:stop_attempt} with attempt_id {attempt_id} ' +
      'first; then call again.',
    'Stop it first, or wait until it has ended.',
  ),
};
