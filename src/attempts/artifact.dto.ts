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
import { AttemptTarget } from './attempt.dto.js';

const blockReasons = [
  'path_outside_workspace',
  'size_exceeded',
  'too_many_paths',
  'not_a_file',
  'threshold_exceeded',
  'summary_failed',
] as const;
const changeStatuses = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type_changed', 'untracked'] as const;

export class ChangesInput extends AttemptTarget {
  @BoolField('True lists the files although the guard would block. Default false.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
  @BoolField('True adds file_stats, the figures of each file. Default false.', {
    optional: true,
    default: false,
    example: false,
  })
  detail?: boolean;
}

export class ChangesSummaryOutput {
  @IntField('Changed files. Whole number.', { example: 2 }) file_count!: number;
  @IntField('Added lines. Whole number.', { example: 12 }) added!: number;
  @IntField('Deleted lines. Whole number.', { example: 3 }) deleted!: number;
  @IntField('Bytes of the changed files as they are now. Whole number.', { example: 2048 }) total_bytes!: number;
}

export class FileStatOutput {
  @TextField('Path, starting with the repository name.', { example: 'web-shop/src/health.ts' }) path!: string;
  @TextField('Path before a rename or copy, or null.', { nullable: true, example: null }) old_path!: string | null;
  @EnumField(`What happened: one of ${changeStatuses.join(', ')}.`, changeStatuses, { example: 'added' })
  status!: string;
  @IntField('Added lines. Whole number.', { example: 12 }) added!: number;
  @IntField('Deleted lines. Whole number.', { example: 0 }) deleted!: number;
  @BoolField('True for files that are no text.', { example: false }) is_binary!: boolean;
  @IntField('Size now in bytes. Whole number.', { example: 512 }) bytes!: number;
}

class BlockableOutput {
  @BoolField('True when a limit kept the answer back; blocked_reason and hint tell how to go on.', { example: false })
  blocked!: boolean;
  @TextField('What to do when blocked or cut, or null.', { nullable: true, example: null }) hint!: string | null;
}

export class ChangesOutput extends BlockableOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ObjectField('Figures over all changed files.', () => ChangesSummaryOutput) summary!: ChangesSummaryOutput;
  @EnumField(
    'Why it was blocked: summary_failed or threshold_exceeded, or null.',
    ['summary_failed', 'threshold_exceeded'],
    { nullable: true, example: null },
  )
  blocked_reason!: string | null;
  @TextListField('Changed paths, starting with the repository name, sorted; empty when blocked.', {
    example: ['web-shop/src/health.ts'],
  })
  files!: string[];
  @ListField('Figures of each file; only with detail=true.', () => FileStatOutput, { optional: true })
  file_stats?: FileStatOutput[];
  @BoolField('True when the list was cut at its absolute cap.', { example: false }) truncated!: boolean;
}

export class FileInput extends AttemptTarget {
  @TextField('Path, starting with the repository name, as in get_attempt_changes.', {
    nonBlank: true,
    example: 'web-shop/src/health.ts',
  })
  path!: string;
  @IntField('First byte to read. Whole number from 0. Default 0.', {
    optional: true,
    minimum: 0,
    default: 0,
    example: 0,
  })
  start?: number;
  @IntField('How many bytes to read. Whole number from 1. Default 65536; more than 524288 is blocked.', {
    optional: true,
    minimum: 1,
    default: 65536,
    example: 65536,
  })
  max_bytes?: number;
}

export class FileOutput extends BlockableOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @TextField('The path that was asked for.', { example: 'web-shop/src/health.ts' }) path!: string;
  @EnumField(`Why it was blocked: one of ${blockReasons.join(', ')}, or null.`, blockReasons, {
    nullable: true,
    example: null,
  })
  blocked_reason!: string | null;
  @BoolField('True when the file goes on behind this slice.', { example: false }) truncated!: boolean;
  @IntField('First byte of this slice. Whole number.', { example: 0 }) start!: number;
  @IntField('Bytes of this slice. Whole number.', { example: 512 }) bytes!: number;
  @IntField('Bytes of the whole file, or null when blocked. Whole number.', { nullable: true, example: 512 })
  total_bytes!: number | null;
  @BoolField('True when the content is no text and comes as base64.', { example: false }) is_binary!: boolean;
  @EnumField('How content is written: utf8 or base64; null when blocked.', ['utf8', 'base64'], {
    nullable: true,
    example: 'utf8',
  })
  encoding!: string | null;
  @TextField('The content, or null when blocked.', { nullable: true, example: 'export const health = 200;\n' })
  content!: string | null;
}

export class PatchInput extends AttemptTarget {
  @TextListField('Paths to show, starting with the repository name; at most 100. A folder means what is below it.', {
    minItems: 1,
    example: ['web-shop/src/health.ts'],
  })
  paths!: string[];
  @BoolField('True answers although the guard would block. Default false.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
  @IntField('How many bytes to answer. Whole number from 1. Default 204800; more than 2097152 is blocked.', {
    optional: true,
    minimum: 1,
    default: 204800,
    example: 204800,
  })
  max_bytes?: number;
}

export class PatchOutput extends BlockableOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(`Why it was blocked: one of ${blockReasons.join(', ')}, or null.`, blockReasons, {
    nullable: true,
    example: null,
  })
  blocked_reason!: string | null;
  @BoolField('True when the patch was cut at max_bytes.', { example: false }) truncated!: boolean;
  @IntField('Bytes of this patch. Whole number.', { example: 200 }) bytes!: number;
  @TextListField('Paths in this patch.', { example: ['web-shop/src/health.ts'] }) paths!: string[];
  @TextListField('Requested paths without a change, or of no repository of the attempt.', { example: [] })
  skipped_paths!: string[];
  @TextField('Unified diff, or null when blocked.', {
    nullable: true,
    example: 'diff --git a/web-shop/src/health.ts b/web-shop/src/health.ts\n',
  })
  patch!: string | null;
}
