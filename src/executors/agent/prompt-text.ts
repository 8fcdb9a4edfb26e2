import type { Turn } from '../executor.js';

/** The prompt, after what was said before where the agent does not know it any more. One text: agents glue several together. */
export function promptText({ prompt, transcript }: Turn, isForgotten: boolean): string {
  return isForgotten && transcript
    ? `What was said and done before:\n\n${transcript}\n\nGo on with:\n\n${prompt}`
    : prompt;
}
