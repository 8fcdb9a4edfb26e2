import type { Turn } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';

/** The prompt, preceded by what the agent has to know and, if it does not know it, the conversation so far. One text,
 *  because agents join several. */
export function promptText(turn: Turn, isForgotten: boolean): string {
  const { prompt, transcript, preamble, agent_session_id } = turn;
  const isBeginning = isForgotten || agent_session_id === null;
  const words =
    isForgotten && transcript ? `Conversation so far:\n\n${transcript}\n\nContinue with:\n\n${prompt}` : prompt;
  return isBeginning && preamble ? `${preamble}\n\n${words}` : words;
}

/** The agent has lost its session and began another. */
export function sessionLost({ transcript }: Turn, reason: string): NormalizedEntry {
  const context = transcript ? 'with the conversation so far' : 'without the earlier conversation';
  return {
    type: 'system_message',
    content: `Could not resume the agent session (${reason}). Started a new one ${context}.`,
    metadata: { kind: 'session_lost' },
  };
}
