import { BoolField, IntField, ListField, ObjectField, TextField, UuidField } from '../platform/fields/fields.js';
import type { RecordKind } from './line-fields.js';

const DryRunField = () =>
  BoolField('True checks everything and counts what would be created, but writes nothing.', {
    optional: true,
    default: false,
    example: true,
  });

export class ExportInput {
  @UuidField('Project to export (UUID).') project_id!: string;
}

export class ImportInput {
  @DryRunField() dry_run?: boolean;
}

export class ImportTasksInput extends ImportInput {
  @UuidField('Project to import into (UUID).') project_id!: string;
}

export class ImportIssuesInput extends ImportTasksInput {
  @TextField('Repository on GitHub: owner/name.', { nonBlank: true, maxLength: 200, example: 'ada/web-shop' })
  repository!: string;
  @TextField('Host of it, where FORGES_FILE names several GitHubs. Default: the first of them.', {
    optional: true,
    blankIsAbsent: true,
    example: 'github.com',
  })
  host?: string;
}

const CountField = (what: string) => IntField(`Number of ${what}. Integer.`, { example: 0 });

/** Records by their kind. */
export class RecordCounts implements Record<RecordKind, number> {
  @CountField('projects') project!: number;
  @CountField('repositories') repository!: number;
  @CountField('tasks') task!: number;
  @CountField('thoughts') thought!: number;
  @CountField('attempts') attempt!: number;
  @CountField('sessions') session!: number;
  @CountField('processes of turns') turn!: number;
  @CountField('comments') comment!: number;
}

export class ImportedProjectOutput {
  @TextField('System that the project comes from.', { example: 'taskyard' }) system!: string;
  @TextField('Its id in that system.', { example: 'acme/shop' }) external_id!: string;
  @UuidField('Its id here (UUID).') project_id!: string;
}

export class ImportOutput {
  @BoolField('True if nothing was written, because only a check was asked for.', { example: false }) dry_run!: boolean;
  @ObjectField('What was created.', () => RecordCounts) created!: RecordCounts;
  @ObjectField('What was there already, and is left as it was.', () => RecordCounts) existing!: RecordCounts;
  @ListField('Projects of the import, those that were there too.', () => ImportedProjectOutput)
  projects!: ImportedProjectOutput[];
}

export const noRecords = (): RecordCounts => ({
  project: 0,
  repository: 0,
  task: 0,
  thought: 0,
  attempt: 0,
  session: 0,
  turn: 0,
  comment: 0,
});
