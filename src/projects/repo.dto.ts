import { ExactlyOne } from '../platform/fields/mode-rules.js';
import { ListField, TextField, TextListField, TimeField, UuidField } from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import type { NewRepo, Repo } from './repo.entity.js';

/** A repository to add: a folder on the server, or a URL to clone. */
export class AddRepoFields {
  @TextField('Absolute path of a git repository on the server.', {
    optional: true,
    blankIsAbsent: true,
    example: '/srv/git/web-shop',
  })
  path?: string;
  @TextField('URL to clone from (https, ssh, git or file).', {
    optional: true,
    blankIsAbsent: true,
    example: 'https://git.example.com/web-shop.git',
  })
  url?: string;
  @TextField(
    'Name of the repository, unique in the project; it prefixes file paths. Default: the name of its folder.',
    {
      optional: true,
      blankIsAbsent: true,
      example: 'web-shop',
    },
  )
  name?: string;
  @TextField('Branch that attempts start from by default. Default: the current branch.', {
    optional: true,
    blankIsAbsent: true,
    example: 'main',
  })
  default_target_branch?: string;
  @TextField('Shell script that prepares a new worktree before the agent runs.', { optional: true, example: 'npm ci' })
  setup_script?: string;
  @TextField('Shell script that runs after each successful turn of the agent.', {
    optional: true,
    example: 'npm run lint',
  })
  cleanup_script?: string;
  @TextListField('Labels that a runner needs to run turns in it, beside those of the project.', {
    optional: true,
    example: ['java21'],
  })
  runs_on?: string[];
}

@ExactlyOne('path', 'url')
export class AddRepoInput extends AddRepoFields {
  @UuidField('UUID from list_projects.') project_id!: string;
}

export class RepoTarget {
  @UuidField('UUID from list_projects.') project_id!: string;
  @UuidField('Repository id (UUID).') repo_id!: string;
}

export class ChangeRepoInput extends RepoTarget {
  @TextField('Branch that attempts start from by default.', { optional: true, nonBlank: true, example: 'main' })
  default_target_branch?: string;
  @TextField('Shell script that prepares a new worktree before the agent runs; an empty text removes it.', {
    optional: true,
    example: 'npm ci',
  })
  setup_script?: string;
  @TextField('Shell script that runs after each successful turn of the agent; an empty text removes it.', {
    optional: true,
    example: 'npm run lint',
  })
  cleanup_script?: string;
  @TextListField('Labels that a runner needs to run turns in it, beside those of the project; empty: any runner.', {
    optional: true,
    example: ['java21'],
  })
  runs_on?: string[];
}

export class ListReposInput extends PageInput {
  @UuidField('UUID from list_projects.') project_id!: string;
}

export class RepoOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository, the prefix of its file paths.', { example: 'web-shop' }) repo_name!: string;
  @TextField('Branch that attempts start from by default.', { example: 'main' }) default_target_branch!: string;
  @TextField('Absolute path on the server.', { example: '/srv/git/web-shop' }) path!: string;
  @TextField('URL it was cloned from, or null.', { nullable: true, example: null }) url!: string | null;
  @TextField('Script that prepares a new worktree before the agent runs, or null.', {
    nullable: true,
    example: 'npm ci',
  })
  setup_script!: string | null;
  @TextField('Script that runs after each successful turn, or null.', { nullable: true, example: null })
  cleanup_script!: string | null;
  @TextListField('Labels that a runner needs to run turns in it; may be empty.', { example: [] }) runs_on!: string[];
  @TimeField('When it was added (RFC 3339).') created_at!: string;
}

export class ListReposOutput extends PageOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ListField('Repositories of the project, newest first.', () => RepoOutput) repos!: RepoOutput[];
}

export class RemovedRepoOutput {
  @UuidField('Repository that was removed from the project (UUID).') removed_repo_id!: string;
}

export const toRepoOutput = (repo: NewRepo & Pick<Repo, 'created_at'>): RepoOutput => ({
  repo_id: repo.id,
  repo_name: repo.name,
  default_target_branch: repo.default_target_branch,
  path: repo.path,
  url: repo.url,
  setup_script: repo.setup_script,
  cleanup_script: repo.cleanup_script,
  runs_on: repo.runs_on,
  created_at: repo.created_at.toISOString(),
});
