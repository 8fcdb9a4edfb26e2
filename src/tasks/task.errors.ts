import { final } from '../platform/errors/error-row.js';

/** Tasks: their status, their assignee and their records. */
export const taskErrors = {
  task_not_found: final(
    404,
    'The task was not found.',
    'Call {next:list_tasks} with a project_id and use one of its task_id values.',
    'It may have been deleted.',
  ),
  assignee_not_member: final(
    400,
    'Worker {worker} is not a member of this project',
    'Add the worker with POST /api/projects/{project_id}/members, or assign a member.',
    'Add them to the project first, or choose a member.',
  ),
  invalid_transition: final(
    400,
    "Invalid status transition from '{from}' to '{to}'. Valid transitions: [{allowed}]",
    'From {from} only these are allowed: [{allowed}]. {next:list_tasks} returns the status.',
    'Move it to another column first.',
  ),
  task_not_in_progress: final(
    400,
    'Can only update progress for in_progress tasks',
    'The task is {status}: call {next:start_task} first.',
  ),
  already_claimed: final(
    409,
    'The task is already claimed by {assignee}.',
    'Work on another task, from {next:list_tasks}, or call {op:assign_task} to reassign this one from {assignee}.',
    'Choose another task.',
  ),
  task_changed: final(
    409,
    'The task was changed meanwhile.',
    'Compare with details.current, which is the task now; then send its updated_at as expected_updated_at.',
    'Look at what is there now, then save again.',
  ),
  task_tied: final(
    409,
    'The task cannot move to another project: {reason}.',
    'Omit project_id; create a new task in the other project instead.',
    'Make a new task in the other project instead.',
  ),
  writeback_required: final(
    422,
    'Writeback required for task {task_id}: missing thought_record',
    'Call {next:write_thought} about this task first, then set status DONE again.',
  ),
};
