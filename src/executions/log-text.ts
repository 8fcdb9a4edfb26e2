import type { LogEntryFields, LogEntryOutput } from './log.dto.js';

/** Entries as lines to read: a header where another execution begins, standard error and everything but plain output
 *  by name. */
export function textOf(entries: readonly LogEntryOutput[]): string {
  let execution: string | null | undefined;
  let text = '';
  for (const { execution_process_id, entry } of entries) {
    if (execution_process_id !== execution) text += `${text && '\n'}# execution ${execution_process_id ?? 'none'}`;
    const isGoingOn = entry.continues === true && execution_process_id === execution;
    text += isGoingOn ? entry.content : `\n${nameOf(entry)}${entry.content}`;
    execution = execution_process_id;
  }
  return text;
}

function nameOf({ type, tool_name }: LogEntryFields): string {
  if (type === 'stdout') return '';
  return tool_name === undefined ? `[${type}] ` : `[${type} ${tool_name}] `;
}
