import { CheckFields } from '../checks/repo-checks.dto.js';
import { autoCommitPolicies, type AutoCommit, type CheckMoment, type CheckPolicy } from '../projects/project.entity.js';
import {
  CheckOnField,
  ChecksField,
  FixRoundsField,
  RetriesField,
  RetriesFields,
  ReviewPolicyField,
  ReviewPolicyFields,
} from '../projects/verification.dto.js';
import { type ProjectNetwork, projectNetworks } from '../egress/run-network.js';
import { BoolField, EnumField, IntField, ListField, TextField, TextListField } from '../platform/fields/fields.js';
import { type Stage, stages } from '../tasks/task-stage.js';
import { type ThoughtType, thoughtTypes } from '../thoughts/thought-record.entity.js';
import { GivenTimeField, KindField, RecordLine, RecordReference, ReferenceField, TimedLine } from './line-fields.js';

/** Lines of a project and of what is to be done in it. */

export class ProjectLine extends TimedLine {
  @KindField('project') kind!: 'project';
  @TextField('Name of the project.', { nonBlank: true, example: 'Web shop' }) name!: string;
  @TextField('Short unique name; where it is taken, another is made of it. Default: derived from the name.', {
    optional: true,
    blankIsAbsent: true,
    example: 'web-shop',
  })
  slug?: string;
  @TextField('What the project is about.', { optional: true, example: 'The shop and its API.' }) description?: string;
  @EnumField('Whether each turn is committed: off or per_turn. Default off.', autoCommitPolicies, {
    optional: true,
    example: 'off',
  })
  auto_commit?: AutoCommit;
  @EnumField('What runs reach: open, listed or none. Default open.', projectNetworks, {
    optional: true,
    example: 'open',
  })
  network?: ProjectNetwork;
  @TextListField('Hosts that runs may reach.', { optional: true, example: [] }) allowed_hosts?: string[];
  @TextListField('Lists of hosts that runs may reach, by name.', { optional: true, example: ['model'] })
  presets?: string[];
  @TextListField('Names of secrets without which no turn begins; never their values.', { optional: true, example: [] })
  required_secrets?: string[];
  @TextListField('Labels that a runner needs.', { optional: true, example: [] }) runs_on?: string[];
  @ChecksField({ optional: true }) checks?: CheckPolicy;
  @CheckOnField({ optional: true }) check_on?: CheckMoment;
  @FixRoundsField({ optional: true }) fix_rounds?: number;
  @ReviewPolicyField() review?: ReviewPolicyFields | null;
  @RetriesField() retries?: RetriesFields;
}

/** A repository on the server that imports: its path there, or a URL to clone it from. */
export class RepositoryLine extends RecordLine {
  @KindField('repository') kind!: 'repository';
  @ReferenceField('Project of the repository.') project!: RecordReference;
  @TextField('Name, unique in the project. Default: the name of its folder.', { optional: true, example: 'web-shop' })
  name?: string;
  @TextField('Absolute path of a git repository on the server that imports. Either path or url.', {
    optional: true,
    example: '/srv/git/web-shop',
  })
  path?: string;
  @TextField('URL to clone it from. Either path or url.', {
    optional: true,
    example: 'https://git.example.com/web-shop.git',
  })
  url?: string;
  @TextField('Branch that attempts start from. Default: the current branch.', { optional: true, example: 'main' })
  default_target_branch?: string;
  @TextField('Shell script that prepares a new worktree.', { optional: true, example: 'npm ci' })
  setup_script?: string;
  @TextField('Shell script that runs after each successful turn.', { optional: true, example: 'npm run lint' })
  cleanup_script?: string;
  @TextListField('Labels that a runner needs.', { optional: true, example: [] }) runs_on?: string[];
  @ListField('Checks of the repository in their order.', () => CheckFields, { optional: true }) checks?: CheckFields[];
}

export class TaskLine extends TimedLine {
  @KindField('task') kind!: 'task';
  @ReferenceField('Project of the task. Left out where tasks are imported into one project.', { optional: true })
  project?: RecordReference;
  @ReferenceField('Task above it, in the same project.', { optional: true }) parent?: RecordReference;
  @TextField('Title of the task.', { nonBlank: true, maxLength: 500, example: 'Add a health check' }) title!: string;
  @TextField('What needs to be done.', { optional: true, example: 'Answer 200 at /healthz.' }) description?: string;
  @EnumField(`Stage: one of ${stages.join(', ')}. Default INIT.`, stages, { optional: true, example: 'INIT' })
  stage?: Stage;
  @BoolField('True if it is marked as blocked.', { optional: true, example: false }) is_blocked?: boolean;
  @TextField('Handle of the worker it is assigned to, where this server knows it; else free text.', {
    optional: true,
    nonBlank: true,
    maxLength: 500,
    example: '@ada',
  })
  assignee?: string;
  @TextField('Priority: low, medium, high, critical or free text.', { optional: true, maxLength: 64, example: 'high' })
  priority?: string;
  @TextListField('Tags.', { optional: true, example: ['backend'] }) tags?: string[];
  @IntField('Progress in percent. Integer.', { optional: true, minimum: 0, maximum: 100, example: 0 })
  progress_percent?: number;
  @GivenTimeField('When it is due') due_date?: string;
  @GivenTimeField('When work started') started_at?: string;
  @GivenTimeField('When it was completed') completed_at?: string;
  @GivenTimeField('When it was archived') archived_at?: string;
}

/** Chained anew on the server that imports, behind the thoughts that the task has there. */
export class ThoughtLine extends RecordLine {
  @KindField('thought') kind!: 'thought';
  @ReferenceField('Task of the thought.') task!: RecordReference;
  @EnumField(`One of ${thoughtTypes.join(', ')}.`, thoughtTypes, { example: 'decision' }) type!: ThoughtType;
  @TextField('What was thought.', { example: 'Answer from memory; no query.' }) content!: string;
  @TextField('Agent that thought it.', { example: 'planner' }) agent_id!: string;
  @TextField('Conversation of that agent.', { optional: true, example: 'run-7' }) session_id?: string;
  @TextField('Who recorded it. Default: who imports.', { optional: true, nonBlank: true, example: '@ada' })
  recorded_by?: string;
  @GivenTimeField('When it was recorded. Default: now') created_at?: string;
}
