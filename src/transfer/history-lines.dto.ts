import {
  type CommentAuthor,
  commentAuthors,
  type CommentSide,
  commentSides,
  severities,
  type Severity,
} from '../comments/comment.entity.js';
import { type SessionRole, sessionRoles } from '../sessions/session.entity.js';
import { BoolField, EnumField, IntField, ListField, NumberField, TextField } from '../platform/fields/fields.js';
import { GivenTimeField, KindField, RecordReference, ReferenceField, TimedLine } from './line-fields.js';

/** Lines of what has been tried. It is history: it can be read, and nothing of it runs again. */

/** Deliveries that have left the worktree behind; everything else is none. */
export const deliveredStates = [
  'none',
  'pushed',
  'merged',
  'partly_delivered',
  'pr_open',
  'pr_merged',
  'pr_closed',
] as const;
/** running: it had not ended when the line was written, and is imported as failed. */
export const turnStatuses = ['running', 'completed', 'failed', 'killed'] as const;
export const turnReasons = ['setupscript', 'codingagent', 'cleanupscript', 'review'] as const;

/** A repository that an attempt worked in. */
export class AttemptRepositoryFields {
  @ReferenceField('The repository.') repository!: RecordReference;
  @TextField('Branch that the attempt started from.', { nonBlank: true, example: 'main' }) target_branch!: string;
  @TextField('Commit that it started from.', { optional: true, example: '0'.repeat(40) }) base_commit?: string;
}

export class AttemptLine extends TimedLine {
  @KindField('attempt') kind!: 'attempt';
  @ReferenceField('Task of the attempt.') task!: RecordReference;
  @TextField('Git branch of the attempt.', { nonBlank: true, example: 'ty/1f0c9d2e-add-a-health-check' })
  branch!: string;
  @ListField('Repositories it worked in.', () => AttemptRepositoryFields, { optional: true, example: [] })
  repositories?: AttemptRepositoryFields[];
  @EnumField(`How its work was delivered: one of ${deliveredStates.join(', ')}. Default none.`, deliveredStates, {
    optional: true,
    example: 'merged',
  })
  delivery_state?: (typeof deliveredStates)[number];
  @TextField('URL of its newest pull request.', { optional: true, example: 'https://github.com/acme/shop/pull/7' })
  pr_url?: string;
  @IntField('Files that it changed. Integer.', { optional: true, minimum: 0, example: 3 }) files_changed?: number;
  @IntField('Lines that it added. Integer.', { optional: true, minimum: 0, example: 40 }) lines_added?: number;
  @IntField('Lines that it deleted. Integer.', { optional: true, minimum: 0, example: 2 }) lines_deleted?: number;
}

export class SessionLine extends TimedLine {
  @KindField('session') kind!: 'session';
  @ReferenceField('Attempt of the session.') attempt!: RecordReference;
  @TextField('Executor of the session; it need not exist on the server that imports.', {
    nonBlank: true,
    example: 'CLAUDE_CODE',
  })
  executor!: string;
  @TextField('Variant of the executor.', { optional: true, nonBlank: true, example: 'PLAN' }) variant?: string;
  @EnumField(`Whose it is: ${sessionRoles.join(' or ')}. Default author.`, sessionRoles, {
    optional: true,
    example: 'author',
  })
  role?: SessionRole;
}

/** One process of a turn: the agent's with message and answer, or that of a script. */
export class TurnLine extends TimedLine {
  @KindField('turn') kind!: 'turn';
  @ReferenceField('Session of the turn.') session!: RecordReference;
  @EnumField(`What ran: one of ${turnReasons.join(', ')}. Default codingagent.`, turnReasons, {
    optional: true,
    example: 'codingagent',
  })
  run_reason?: (typeof turnReasons)[number];
  @EnumField(
    `How it ended: one of ${turnStatuses.join(', ')} (stopped). What was running is imported as failed.`,
    turnStatuses,
    {
      example: 'completed',
    },
  )
  status!: (typeof turnStatuses)[number];
  @TextField('Message that it worked on.', { optional: true, example: 'Add a health check' }) prompt?: string;
  @BoolField('True if the message was the text of the task.', { optional: true, example: false })
  is_task_text?: boolean;
  @TextField('What the agent answered.', { optional: true, example: 'Added /healthz.' }) final_message?: string;
  @TextField('Variant of the executor.', { optional: true, nonBlank: true, example: 'PLAN' }) variant?: string;
  @TextField('Why it failed.', { optional: true, example: 'not logged in' }) failure_summary?: string;
  @IntField('Exit code of the process. Integer.', { optional: true, example: 0 }) exit_code?: number;
  @IntField('Tokens that went in. Integer.', { optional: true, minimum: 0, example: 1200 }) input_tokens?: number;
  @IntField('Those of them that were cached. Integer.', { optional: true, minimum: 0, example: 800 })
  cached_input_tokens?: number;
  @IntField('Tokens that came out. Integer.', { optional: true, minimum: 0, example: 300 }) output_tokens?: number;
  @NumberField('Cost in US dollars.', { optional: true, example: 0.12 }) cost_usd?: number;
  @GivenTimeField('When it started') started_at?: string;
  @GivenTimeField('When it ended') completed_at?: string;
}

/** What somebody said about lines of an attempt. */
export class CommentLine extends TimedLine {
  @KindField('comment') kind!: 'comment';
  @ReferenceField('Attempt of the comment.') attempt!: RecordReference;
  @TextField('Who said it.', { nonBlank: true, example: '@ada' }) author!: string;
  @EnumField(`What that is: ${commentAuthors.join(' or ')}. Default human.`, commentAuthors, {
    optional: true,
    example: 'human',
  })
  author_type?: CommentAuthor;
  @EnumField(`Of what an agent found: one of ${severities.join(', ')}.`, severities, {
    optional: true,
    example: 'major',
  })
  severity?: Severity;
  @TextField('The file: <repository>/<path>.', { nonBlank: true, example: 'web-shop/src/health.ts' }) path!: string;
  @EnumField(`Side of the diff: one of ${commentSides.join(', ')}.`, commentSides, { example: 'new' })
  side!: CommentSide;
  @IntField('First line. Integer.', { minimum: 1, example: 12 }) line!: number;
  @IntField('Last line. Default: the first. Integer.', { optional: true, minimum: 1, example: 14 }) end_line?: number;
  @TextField('What stood there, joined by line feeds.', { optional: true, example: 'return 200;' }) lines?: string;
  @TextField('What was said.', { example: 'Why not 204?' }) text!: string;
  @GivenTimeField('When it was sent to the agent') sent_at?: string;
}
