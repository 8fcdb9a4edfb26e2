import type { EndStatus, ExecutionStatus, RunReason } from '../executions/execution.entity.js';

export type LostReason =
  | 'it went silent'
  | 'the server was restarted'
  | 'the server was shut down'
  | 'the launcher in the container of its runs ended';
/** Why a turn failed that its runner has not carried to an end. */
export const lostBecause = (reason: LostReason): string => `runner lost: ${reason}`;

/** What happens to waiting messages at the end of a turn. */
type MessagesAfter = { action: 'run' } | { action: 'keep' } | { action: 'drop'; reason: string };

export interface EndingRule {
  /** States from which an execution may end in this way; otherwise nothing is written. */
  from: readonly ExecutionStatus[];
  to: EndStatus;
  /** The failure is added to the log, because no process writes it any more. */
  isLogged: boolean;
  /** The turn continues with its next execution, if any, under the same job. */
  advances: boolean;
  messages: MessagesAfter;
}

const run = { action: 'run' } as const;
const keep = { action: 'keep' } as const;
const drop = (reason: string) => ({ action: 'drop', reason }) as const;
const rule = (
  from: readonly ExecutionStatus[],
  to: EndStatus,
  messages: MessagesAfter,
  more: Partial<EndingRule> = {},
): EndingRule => ({ from, to, messages, isLogged: false, advances: false, ...more });

/** Every way in which an execution ends, and what follows. The first four are reported by its runner. interrupted: its
 *  runner was shut down, or went silent and came back. withdrawn: stopped before a runner took it. refused: what it
 *  needs is no longer configured. lost: its runner went silent, or was killed. */
export const endings = {
  completed: rule(['running'], 'completed', run, { advances: true }),
  failed: rule(['running'], 'failed', drop('the run failed')),
  killed: rule(['running'], 'killed', drop('the run was stopped')),
  interrupted: rule(['running'], 'failed', run),
  withdrawn: rule(['queued'], 'killed', drop('the attempt was stopped')),
  refused: rule(['queued'], 'failed', keep),
  lost: rule(['queued', 'running'], 'failed', run, { isLogged: true }),
} as const satisfies Record<string, EndingRule>;

export type Ending = keyof typeof endings;

/** What becomes of them; a check or a review that fails is no reason to drop what people wrote to the author. */
export const messagesAfter = (run_reason: RunReason, ending: Ending): MessagesAfter =>
  (run_reason === 'check' || run_reason === 'review') && ending === 'failed' ? run : endings[ending].messages;
