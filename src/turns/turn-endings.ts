import type { EndStatus, ExecutionStatus } from '../executions/execution.entity.js';

/** What becomes of the messages that wait behind a turn once it is over. */
export type MessagesAfter = { action: 'run' } | { action: 'keep' } | { action: 'drop'; reason: string };

export interface EndingRule {
  /** States an execution may end from in this way; from any other one nothing is written. */
  from: readonly ExecutionStatus[];
  to: EndStatus;
  /** The failure becomes an entry of the log, which no process of ours writes any more. */
  isLogged: boolean;
  /** The turn goes on with its next execution under the same job, where one is left. */
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

/** Every way in which an execution ends, and what follows. The first three are reported by the process's own runner.
 *  withdrawn: stopped before a runner took it. refused: what it needs has left the configuration.
 *  lost: its runner went silent, was restarted, or was killed. */
export const endings = {
  completed: rule(['running'], 'completed', run, { advances: true }),
  failed: rule(['running'], 'failed', drop('the run failed')),
  killed: rule(['running'], 'killed', drop('the run was stopped')),
  withdrawn: rule(['queued'], 'killed', drop('the attempt was stopped')),
  refused: rule(['queued'], 'failed', keep),
  lost: rule(['queued', 'running'], 'failed', run, { isLogged: true }),
} as const satisfies Record<string, EndingRule>;

export type Ending = keyof typeof endings;

/** A runner that shuts down begins no turn and drops no message: they run after the next start. */
export const messagesAfter = (ending: Ending, isLeaving: boolean): MessagesAfter =>
  isLeaving ? keep : endings[ending].messages;
