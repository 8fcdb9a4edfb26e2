import {
  EnumField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { type ProjectNetwork, projectNetworks } from '../egress/run-network.js';
import { QueryField } from '../platform/database/word-search.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import { PROJECT_ROLES, type ProjectRole } from '../platform/access/scopes.js';
import {
  type AutoCommit,
  autoCommitPolicies,
  type CheckMoment,
  type CheckPolicy,
  type Project,
} from './project.entity.js';
import { AddRepoFields } from './repo.dto.js';
import {
  CheckOnField,
  ChecksField,
  FixRoundsField,
  RetriesField,
  type RetriesFields,
  RetriesOutput,
  ReviewPolicyField,
  type ReviewPolicyFields,
  ReviewPolicyOutput,
} from './verification.dto.js';

const ProjectIdField = () => UuidField('Project id (UUID).');

const AutoCommitField = (options: { optional?: boolean }) =>
  EnumField(
    'Whether each turn is committed: one of off (changes stay uncommitted), per_turn (changes are committed to the ' +
      'branch of the attempt).',
    autoCommitPolicies,
    { ...options, example: 'off' },
  );

const NetworkField = (options: { optional?: boolean }) =>
  EnumField(
    'What runs reach: one of open (public hosts), listed (hosts of allowed_hosts and presets only), none.',
    projectNetworks,
    { ...options, example: 'listed' },
  );

const RunsOnField = (options: { optional?: boolean }) =>
  TextListField('Labels that a runner needs to run turns of the project; empty: any runner.', {
    ...options,
    example: ['java21'],
  });

export class ProjectTarget {
  @ProjectIdField() project_id!: string;
}

export class CreateProjectInput {
  @TextField('Name of the project.', { nonBlank: true, example: 'Web shop' }) name!: string;
  @TextField('Short unique name of lower-case letters, digits and hyphens. Default: derived from the name.', {
    optional: true,
    blankIsAbsent: true,
    example: 'web-shop',
  })
  slug?: string;
  @TextField('What the project is about.', { optional: true, example: 'The shop and its API.' }) description?: string;
  @AutoCommitField({ optional: true }) auto_commit?: AutoCommit;
  @ListField('Git repositories of the project.', () => AddRepoFields, { optional: true }) repos?: AddRepoFields[];
}

export class UpdateProjectInput extends ProjectTarget {
  @TextField('New name.', { optional: true, nonBlank: true, example: 'Web shop' }) name?: string;
  @TextField('New description; an empty text clears it.', { optional: true, example: '' }) description?: string;
  @AutoCommitField({ optional: true }) auto_commit?: AutoCommit;
  @TextListField('Names of secrets without which no turn begins; an empty list requires none.', {
    optional: true,
    example: ['NPM_TOKEN'],
  })
  required_secrets?: string[];
  @NetworkField({ optional: true }) network?: ProjectNetwork;
  @TextListField('Hosts that runs may reach: host, *.host (below it) or host:port; without a port 80 and 443.', {
    optional: true,
    example: ['registry.example.com', '*.example.org'],
  })
  allowed_hosts?: string[];
  @TextListField(
    'Lists of hosts by name: model (of the executor), forge, npm, pypi, crates, go, maven, apt or own ones.',
    {
      optional: true,
      example: ['model', 'npm'],
    },
  )
  presets?: string[];
  @RunsOnField({ optional: true }) runs_on?: string[];
  @ChecksField({ optional: true }) checks?: CheckPolicy;
  @CheckOnField({ optional: true }) check_on?: CheckMoment;
  @FixRoundsField({ optional: true }) fix_rounds?: number;
  @ReviewPolicyField() review?: ReviewPolicyFields | null;
  @RetriesField() retries?: RetriesFields;
}

export class ListProjectsInput extends PageInput {
  @QueryField('name, slug and description') query?: string;
}

/** Where a repository is: a person at a shell asks for the project of a folder. */
export class FindProjectsInput extends ListProjectsInput {
  @TextField('Only those with a repository at this path of the server.', {
    optional: true,
    blankIsAbsent: true,
    example: '/srv/git/web-shop',
  })
  repo_path?: string;
  @TextField('Only those with a clone of this remote, by ssh or https, with a user or without.', {
    optional: true,
    blankIsAbsent: true,
    example: 'git@git.example.com:ada/web-shop.git',
  })
  repo_url?: string;
}

export class ProjectAuditInput extends PageInput {
  @ProjectIdField() project_id!: string;
}

export class ProjectOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @TextField('Name of the project.', { example: 'Web shop' }) name!: string;
  @TextField('Short unique name.', { example: 'web-shop' }) slug!: string;
  @TextField('What the project is about, or null.', { nullable: true, example: null }) description!: string | null;
  @AutoCommitField({}) auto_commit!: AutoCommit;
  @TextListField('Names of secrets without which no turn begins.', { example: [] }) required_secrets!: string[];
  @NetworkField({}) network!: ProjectNetwork;
  @TextListField('Hosts that runs may reach.', { example: [] }) allowed_hosts!: string[];
  @TextListField('Lists of hosts that runs may reach, by name.', { example: ['model'] }) presets!: string[];
  @RunsOnField({}) runs_on!: string[];
  @ChecksField({}) checks!: CheckPolicy;
  @CheckOnField({}) check_on!: CheckMoment;
  @FixRoundsField({}) fix_rounds!: number;
  @ObjectField('The second agent that reviews, or null.', () => ReviewPolicyOutput, { nullable: true, example: null })
  review!: ReviewPolicyOutput | null;
  @ObjectField('Failures after which the last message is sent again.', () => RetriesOutput) retries!: RetriesOutput;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it was last changed (RFC 3339).') updated_at!: string;
}

export class ProjectDetailsOutput extends ProjectOutput {
  @EnumField('Your role in it: viewer, member, maintainer or owner.', PROJECT_ROLES, { example: 'owner' })
  role!: ProjectRole;
}

export class ListProjectsOutput extends PageOutput {
  @ListField('Projects, newest first.', () => ProjectOutput) projects!: ProjectOutput[];
}

export class DeletedProjectOutput {
  @UuidField('Project that was deleted (UUID).') deleted_project_id!: string;
}

export const toProjectOutput = (project: Project): ProjectOutput => ({
  project_id: project.id,
  name: project.name,
  slug: project.slug,
  description: project.description,
  auto_commit: project.auto_commit,
  required_secrets: project.required_secrets,
  network: project.network,
  allowed_hosts: project.allowed_hosts,
  presets: project.presets,
  runs_on: project.runs_on,
  checks: project.checks,
  check_on: project.check_on,
  fix_rounds: project.fix_rounds,
  review: project.review,
  retries: project.retries,
  created_at: project.created_at.toISOString(),
  updated_at: project.updated_at.toISOString(),
});
