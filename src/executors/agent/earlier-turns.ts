import type { Turn } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';

/** The prompt, preceded by the conversation so far if the agent does not know it. One text, because agents join
 *  several. */
export function promptText({ prompt, transcript }: Turn, isForgotten: boolean): string {
  return isForgotten && transcript ? `Conversation so far:\n\n${transcript}\n\nContinue with:\n\n${prompt}` : prompt;
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
