import { BoolField, EnumField, ObjectField, TextField, UuidField, UuidListField } from '../platform/fields/fields.js';
import { ExactlyOne, Modes } from '../platform/fields/mode-rules.js';
import { QueuedMessageOutput, SessionOrAttempt, VariantField } from '../sessions/session.dto.js';
import { RequestIdField } from '../tasks/task.dto.js';

export const followUpActions = ['send', 'queue', 'cancel'] as const;
export type FollowUpAction = (typeof followUpActions)[number];
const STOP =
  'To stop the running agent, call {op:stop_attempt} with attempt_id; ' +
  'follow_up only sends, queues or cancels messages.';

const message = { require: ['prompt'], instead: { prompt: ['resolve', 'comment_ids'] } };
const nothingToSay = ['prompt', 'resolve', 'comment_ids', 'include_untrusted', 'variant', 'request_id'];

@Modes('action', { send: message, queue: message, cancel: { forbid: nothingToSay } })
@ExactlyOne('attempt_id', 'session_id')
export class FollowUpInput extends SessionOrAttempt {
  @EnumField(
    'send: run the prompt now; queue: run it after the current run succeeds; cancel: drop the queued message.',
    followUpActions,
    { example: 'send', redirects: { stop: STOP, kill: STOP, interrupt: STOP, abort: STOP } },
  )
  action!: FollowUpAction;
  @TextField('Message for the agent, at least one visible character.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Also add a test.',
  })
  prompt?: string;
  @BoolField('True asks the agent to resolve the conflicts of the update in progress; a prompt is added to that.', {
    optional: true,
    example: true,
    normalise: (value) => (value === false ? undefined : value),
  })
  resolve?: boolean;
  @UuidListField('Comments of reviewers to quote, from get_pull_request; a prompt is added to that.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000011'],
  })
  comment_ids?: string[];
  @BoolField('True quotes comments of authors who may not write to the repository, too. Default false.', {
    optional: true,
    example: false,
    normalise: (value) => (value === false ? undefined : value),
  })
  include_untrusted?: boolean;
  @VariantField() variant?: string;
  @RequestIdField() request_id?: string;
}

export class FollowUpOutput {
  @UuidField('Session of the message (UUID).') session_id!: string;
  @EnumField('Action performed: send, queue or cancel.', followUpActions, { example: 'send' }) action!: FollowUpAction;
  @UuidField('Execution that was started (UUID), or null if none was.', { nullable: true }) execution_process_id!:
    string | null;
  @EnumField('queued if a message is waiting, otherwise empty.', ['empty', 'queued'], { example: 'empty' }) status!:
    'empty' | 'queued';
  @ObjectField('The queued message, or null.', () => QueuedMessageOutput, { nullable: true, example: null })
  queued_message!: QueuedMessageOutput | null;
}
