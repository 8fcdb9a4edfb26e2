import { final } from './error-row.js';

/** Projects with their repositories and members, workers, tasks and their records. */
export const boardErrors = {
  project_not_found: final(
    404,
    'Project {project_id} was not found.',
    'Call {op:list_projects} and use one of its project_id values.',
  ),
  project_in_use: final(409, 'Project {project_id} has a live run.', 'Stop its attempts with {op:stop_attempt} first.'),
  slug_taken: final(409, 'The slug is already taken.', 'Choose another slug, or omit slug.'),
  already_member: final(409, 'The worker is already a member of this project.', 'No action needed.'),
  last_owner: final(409, 'The project would be left without an owner.', 'Make another member an owner first.'),

  repo_not_found: final(
    404,
    'Repository {repo_id} was not found.',
    'Call {op:list_repos} and use one of its repo_id values.',
  ),
  repo_invalid: final(
    400,
    'The repository cannot be used: {reason}.',
    'Pass the absolute path of a git repository on this server that has at least one commit.',
  ),
  repo_not_in_project: final(
    400,
    'Repository {repo_id} does not belong to the project of this task.',
    'Call {op:list_repos} with project_id {project_id} and use its repo_id values.',
  ),
  repo_in_use: final(
    409,
    'The repository is used by attempts.',
    'It stays in the project for their history; to leave it out of new work, ' +
      'list the other repositories in repos in {op:start_task_attempt}.',
  ),
  repo_name_taken: final(
    409,
    'The project already has a repository with this name.',
    'Pass another name for the repository.',
  ),

  worker_not_found: final(
    404,
    'Worker {worker} was not found.',
    'GET /api/workers lists workers; POST /api/workers adds one.',
  ),
  handle_taken: final(409, 'The handle is already taken.', 'Choose another handle; GET /api/workers lists them.'),
  user_taken: final(
    409,
    'A worker with this user_id already exists.',
    'Use that worker; GET /api/workers lists workers.',
  ),
  assignee_not_member: final(
    400,
    'Worker {worker} is not a member of this project',
    'Add the worker with POST /api/projects/{project_id}/members, or assign a member.',
  ),

  task_not_found: final(
    404,
    'Task {task_id} was not found.',
    'Call {op:list_tasks} with a project_id and use one of its task_id values.',
  ),
  invalid_transition: final(
    400,
    "Invalid status transition from '{from}' to '{to}'. Valid transitions: [{allowed}]",
    'From {from} only these are allowed: [{allowed}]. {op:list_tasks} returns the status.',
  ),
  task_not_in_progress: final(
    400,
    'Can only update progress for in_progress tasks',
    'The task is {status}: start it with {op:start_task} first.',
  ),
  task_has_subtasks: final(409, 'Cannot delete task with subtasks', 'Delete its subtasks first: {subtasks}.'),
  already_claimed: final(
    409,
    'The task is already claimed by {assignee}.',
    'Work on another task, or call {op:assign_task} to reassign this one from {assignee}.',
  ),
  task_tied: final(
    409,
    'Task {task_id} cannot move to another project: {reason}.',
    'Omit project_id; create a new task in the other project instead.',
  ),
  task_running: final(
    409,
    'Task {task_id} has a live run.',
    'Call {op:stop_attempt} with attempt_id {attempt_id} first, then call again.',
  ),
  writeback_required: final(
    422,
    'Writeback required for task {task_id}: missing thought_record',
    'Call {op:write_thought} with task_id {task_id} first, then set status DONE again.',
  ),
};
