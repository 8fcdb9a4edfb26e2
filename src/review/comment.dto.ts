import { AttemptIdField, AttemptTarget } from '../attempts/attempt.dto.js';
import {
  type CommentAuthor,
  commentAuthors,
  type CommentSide,
  commentSides,
  type CommentState,
  commentStates,
  severities,
  type Severity,
  type StandingComment,
} from '../comments/comment.entity.js';
import { ReplayedField } from '../idempotency/idempotency.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import { RequestIdField } from '../tasks/task.dto.js';

const MAX_TEXT = 10_000;
const SUGGESTION = 'Please say why.\n```suggestion\nexport const health = 200;\n```';
const SideField = (description: string) => EnumField(description, commentSides, { example: 'new' });
const TextOfComment = (description: string) =>
  TextField(description, { nonBlank: true, maxLength: MAX_TEXT, example: SUGGESTION });

export class ListCommentsInput extends PageInput {
  @AttemptIdField() attempt_id!: string;
}

export class CreateCommentInput extends AttemptTarget {
  @TextField('Path as in the changes; of a renamed file, its old one for side old.', {
    nonBlank: true,
    example: 'web-shop/src/health.ts',
  })
  path!: string;
  @SideField('Which lines are meant: old (as they were before the changes) or new (as they are now).')
  side!: CommentSide;
  @IntField('First line, counted from 1.', { minimum: 1, example: 3 }) line!: number;
  @IntField('Last line, at most 200 in all. Default: line.', { optional: true, minimum: 1, example: 4 })
  end_line?: number;
  @TextOfComment(
    `What is to be said, at most ${MAX_TEXT} characters. A block fenced as suggestion reaches the agent word for word.`,
  )
  text!: string;
  @RequestIdField() request_id?: string;
}

export class CommentTarget extends AttemptTarget {
  @UuidField('Comment id (UUID).') comment_id!: string;
}

export class UpdateCommentInput extends CommentTarget {
  @TextOfComment(`What it says from now on, at most ${MAX_TEXT} characters.`) text!: string;
}

export class ReviewCommentOutput {
  @UuidField('Comment id (UUID); pass it to follow_up in comment_ids.') comment_id!: string;
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @TextField('Path of the file on that side, starting with the repository name.', {
    example: 'web-shop/src/health.ts',
  })
  path!: string;
  @SideField('Which lines are meant: old (before the changes) or new.') side!: CommentSide;
  @IntField('First line: where the lines are now, or where they were if they are outdated. Integer.', { example: 3 })
  line!: number;
  @IntField('Last line. Integer.', { example: 4 }) end_line!: number;
  @TextField('The lines it was made on, joined by line feeds.', { example: 'export const health = 204;' })
  lines!: string;
  @TextField('What it says.', { example: SUGGESTION }) text!: string;
  @TextField('Who wrote it.', { example: '@ada' }) author!: string;
  @EnumField('What that is: human, or agent (a second agent reviewed).', commentAuthors, { example: 'human' })
  author_type!: CommentAuthor;
  @EnumField(
    `What it means to the agent that found it: one of ${severities.join(', ')}; null for a person's.`,
    severities,
    {
      nullable: true,
      example: null,
    },
  )
  severity!: Severity | null;
  @BoolField('True if the caller wrote it and so may edit it.', { example: true }) is_own!: boolean;
  @EnumField(
    'State: open (no agent has it), sent (its message waits or runs) or answered (its turn has ended).',
    commentStates,
    { example: 'open' },
  )
  state!: CommentState;
  @BoolField('True once its lines have changed; null while the work cannot be read.', {
    nullable: true,
    example: false,
  })
  outdated!: boolean | null;
  @TimeField('When it was last sent (RFC 3339), or null.', { nullable: true }) sent_at!: string | null;
  @TimeField('When it was written (RFC 3339).') created_at!: string;
  @TimeField('When it was last edited (RFC 3339).') updated_at!: string;
}

export class CreatedCommentOutput extends ReviewCommentOutput {
  @ReplayedField() replayed?: boolean;
}

export class ListCommentsOutput extends PageOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ListField('Comments, oldest first.', () => ReviewCommentOutput) comments!: ReviewCommentOutput[];
  @TimeField('When the caller last sent comments of this attempt (RFC 3339), or null.', { nullable: true })
  reviewed_at!: string | null;
}

export class DeletedCommentOutput {
  @UuidField('Comment that was deleted (UUID).') deleted_comment_id!: string;
}

/** Where the lines of a comment are now. */
export type CommentPlace = Pick<ReviewCommentOutput, 'line' | 'end_line' | 'outdated'>;

export const toCommentOutput = (row: StandingComment, place: CommentPlace, is_own: boolean): ReviewCommentOutput => ({
  comment_id: row.id,
  attempt_id: row.attempt_id,
  path: row.path,
  side: row.side,
  ...place,
  lines: row.lines,
  text: row.text,
  author: row.author,
  author_type: row.author_type,
  severity: row.severity,
  is_own,
  state: row.state,
  sent_at: row.state === 'open' ? null : (row.sent_at?.toISOString() ?? null),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
