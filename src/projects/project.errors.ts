import { final } from '../platform/errors/error-row.js';

/** Workers, and projects with their repositories and members. */
export const projectErrors = {
  project_not_found: final(
    404,
    'The project was not found.',
    'Call {next:list_projects} and use one of its project_id values.',
    'It may have been deleted, or you are no member of it.',
  ),
  slug_taken: final(409, 'The slug is already taken.', 'Choose another slug, or omit slug.', 'Choose another name.'),
  already_member: final(409, 'The worker or group is already a member of this project.', 'No action needed.'),
  group_not_found: final(
    404,
    'The group {group} is no member of this project.',
    'List the members of the project; the name has to be exactly that of a group there.',
  ),
  last_owner: final(409, 'The project would be left without an owner.', 'Make another member an owner first.'),
  repo_not_found: final(
    404,
    'The repository was not found.',
    'Call {next:get_attempt_delivery attempt_id} or {next:list_repos} and use one of its repo_id values.',
    'It may have been removed from the project.',
  ),
  repo_in_use: final(
    409,
    'The repository is used by attempts.',
    'It stays in the project for their history; to leave it out of new work, ' +
      'list the other repositories in repos in {op:start_task_attempt}.',
    'It stays in the project for their history.',
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
    'Check how the name is written.',
  ),
  secret_missing: final(
    409,
    'Runs of this project need secrets that are missing, or that the present key of the server cannot open: {names}.',
    'A maintainer sets them: PUT /api/projects/{project_id}/secrets/<name>; or takes them out of required_secrets.',
    'A maintainer sets them among the secrets of the project.',
  ),
  secret_name_reserved: final(
    400,
    'A secret cannot be called {name}: that variable belongs to the server or to the system.',
    'Choose another name; reserved are TASKYARD_*, GIT_*, LD_*, *_PROXY, PATH and NODE_OPTIONS.',
    'Choose another name.',
  ),
  handle_taken: final(
    409,
    'The handle is already taken.',
    'Choose another handle; GET /api/workers lists them.',
    'Choose another handle.',
  ),
  user_taken: final(
    409,
    'A worker with this user_id already exists.',
    'Use that worker; GET /api/workers lists workers.',
    'Choose the one that exists.',
  ),
};
