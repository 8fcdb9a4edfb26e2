import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { WordedOutput } from '../platform/errors/wording.js';
import { OlderCursorField } from '../platform/fields/paging.js';

const blockReasons = [
  'path_outside_workspace',
  'size_exceeded',
  'too_many_paths',
  'not_a_file',
  'threshold_exceeded',
  'summary_failed',
] as const;
const changeStatuses = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type_changed', 'untracked'] as const;

export class AgentStateInput extends AttemptTarget {}

export class ChangesInput extends AttemptTarget {
  @BoolField('True passes the diff guard.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
  @BoolField('True adds file_stats.', {
    optional: true,
    default: false,
    example: false,
  })
  detail?: boolean;
  @TextField('Only what is below this folder, from the repository name on; not guarded.', {
    optional: true,
    blankIsAbsent: true,
    example: 'web-shop/src',
  })
  path?: string;
  @OlderCursorField() cursor?: number;
}

export class ChangesSummaryOutput {
  @IntField('Number of changed files. Integer.', { example: 2 }) file_count!: number;
  @IntField('Added lines. Integer.', { example: 12 }) added!: number;
  @IntField('Deleted lines. Integer.', { example: 3 }) deleted!: number;
  @IntField('Current size of the changed files in bytes. Integer.', { example: 2048 }) total_bytes!: number;
}

export class FileStatOutput {
  @TextField('Path, starting with the repository name.', { example: 'web-shop/src/health.ts' }) path!: string;
  @TextField('Path before a rename or copy, or null.', { nullable: true, example: null }) old_path!: string | null;
  @EnumField(`Kind of change: one of ${changeStatuses.join(', ')}.`, changeStatuses, { example: 'added' })
  status!: string;
  @IntField('Added lines. Integer.', { example: 12 }) added!: number;
  @IntField('Deleted lines. Integer.', { example: 0 }) deleted!: number;
  @BoolField('True for binary files.', { example: false }) is_binary!: boolean;
  @IntField('Current size in bytes. Integer.', { example: 512 }) bytes!: number;
  @TextField('SHA-256 of the current content, or of the target of a link; null if there is none.', {
    nullable: true,
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  content_hash!: string | null;
}

const NextCursorField = () =>
  IntField('Pass as cursor to get what was cut; absent otherwise. Integer.', { optional: true, example: 500 });
const views = ['work', 'delivered'] as const;
const ViewField = () =>
  EnumField('work: what the attempt has made; delivered: what was delivered, once that is all of it.', views, {
    example: 'work',
  });

class BlockableOutput extends WordedOutput {
  @BoolField('True if a limit withheld the content; see blocked_reason and hint.', { example: false })
  blocked!: boolean;
}

export class ChangedFolderOutput {
  @TextField('Folder, starting with the repository name.', { example: 'web-shop/src' }) path!: string;
  @IntField('Number of changed files below it. Integer.', { example: 400 }) file_count!: number;
  @IntField('Added lines. Integer.', { example: 12000 }) added!: number;
  @IntField('Deleted lines. Integer.', { example: 3 }) deleted!: number;
}

const changesBlocks = ['summary_failed', 'threshold_exceeded', 'path_outside_workspace'] as const;

export class ChangesOutput extends BlockableOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ViewField() of!: string;
  @ObjectField('Totals over all changed files, or those below path.', () => ChangesSummaryOutput)
  summary!: ChangesSummaryOutput;
  @EnumField(`Why it was blocked: one of ${changesBlocks.join(', ')}, or null.`, changesBlocks, {
    nullable: true,
    example: null,
  })
  blocked_reason!: string | null;
  @TextListField('Changed paths, starting with the repository name, sorted; empty if blocked.', {
    example: ['web-shop/src/health.ts'],
  })
  files!: string[];
  @ListField('Statistics of each file; only with detail=true.', () => FileStatOutput, { optional: true })
  file_stats?: FileStatOutput[];
  @ListField('If blocked, the folders with most changes, by path; absent otherwise.', () => ChangedFolderOutput, {
    optional: true,
  })
  folders?: ChangedFolderOutput[];
  @BoolField('True if the list was cut.', { example: false }) truncated!: boolean;
  @NextCursorField() next_cursor?: number;
}

const fileSources = ['work', 'target'] as const;

export class FileInput extends AttemptTarget {
  @TextField('Path, as in get_attempt_changes.', {
    nonBlank: true,
    example: 'web-shop/src/health.ts',
  })
  path!: string;
  @EnumField('As in the attempt (work) or its target branch (target). Default work.', fileSources, {
    optional: true,
    default: 'work',
    example: 'work',
  })
  of?: (typeof fileSources)[number];
  @IntField('First byte, counted from start_line. Default 0.', {
    optional: true,
    minimum: 0,
    default: 0,
    example: 0,
  })
  start?: number;
  @IntField('First line. Default 1.', { optional: true, minimum: 1, example: 1 })
  start_line?: number;
  @IntField('Lines. Default: all.', { optional: true, minimum: 1, example: 100 })
  line_count?: number;
  @IntField('Default 40960, or 16384 for binary files; above 524288 is blocked.', {
    optional: true,
    minimum: 1,
    example: 40960,
  })
  max_bytes?: number;
}

export class FileOutput extends BlockableOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @TextField('The requested path.', { example: 'web-shop/src/health.ts' }) path!: string;
  @EnumField(`Why it was blocked: one of ${blockReasons.join(', ')}, or null.`, blockReasons, {
    nullable: true,
    example: null,
  })
  blocked_reason!: string | null;
  @BoolField('True if the file continues after this slice.', { example: false }) truncated!: boolean;
  @IntField('Offset of the first byte of this slice. Integer.', { example: 0 }) start!: number;
  @IntField('Size of this slice in bytes. Integer.', { example: 512 }) bytes!: number;
  @IntField('Size of the whole file in bytes, or null if blocked. Integer.', { nullable: true, example: 512 })
  total_bytes!: number | null;
  @BoolField('True if the content is binary and encoded as base64.', { example: false }) is_binary!: boolean;
  @EnumField('Encoding of content: utf8 or base64; null if blocked.', ['utf8', 'base64'], {
    nullable: true,
    example: 'utf8',
  })
  encoding!: string | null;
  @TextField('The content, or null if blocked.', { nullable: true, example: 'export const health = 200;\n' })
  content!: string | null;
}

export class DiffInput extends AttemptTarget {
  @UuidField('Repository (UUID); required if the attempt has several.', { optional: true }) repo_id?: string;
}

export class PatchInput extends AttemptTarget {
  @TextListField('Up to 100 files or folders, as in get_attempt_changes.', {
    minItems: 1,
    example: ['web-shop/src/health.ts'],
  })
  paths!: string[];
  @BoolField('True passes the diff guard.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
  @IntField('Default 40960; above 2097152 is blocked.', {
    optional: true,
    minimum: 1,
    default: 40960,
    example: 40960,
  })
  max_bytes?: number;
  @OlderCursorField(40960) cursor?: number;
  @BoolField('True adds file_stats.', {
    optional: true,
    default: false,
    example: false,
  })
  detail?: boolean;
}

export class PatchOutput extends BlockableOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ViewField() of!: string;
  @EnumField(`Why it was blocked: one of ${blockReasons.join(', ')}, or null.`, blockReasons, {
    nullable: true,
    example: null,
  })
  blocked_reason!: string | null;
  @BoolField('True if the patch was truncated at max_bytes.', { example: false }) truncated!: boolean;
  @NextCursorField() next_cursor?: number;
  @IntField('Size of this patch in bytes. Integer.', { example: 200 }) bytes!: number;
  @TextListField('Paths in this patch.', { example: ['web-shop/src/health.ts'] }) paths!: string[];
  @TextListField(
    'Paths that have no change, belong to no repository of the attempt, or are new files of more than 64 MiB.',
    { example: [] },
  )
  skipped_paths!: string[];
  @TextField('Unified diff, or null if blocked.', {
    nullable: true,
    example: 'diff --git a/web-shop/src/health.ts b/web-shop/src/health.ts\n',
  })
  patch!: string | null;
  @ListField(
    'Statistics of each requested file, even if the patch is truncated; only with detail=true.',
    () => FileStatOutput,
    { optional: true },
  )
  file_stats?: FileStatOutput[];
}
