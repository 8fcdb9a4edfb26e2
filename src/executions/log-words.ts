import type { LogEntryFields } from './log.dto.js';

/** How many lines of printed output an entry holds; anything else counts as one.
 *  @param isPrinted the executor says nothing but what its program printed */
export const linesIn = (entry: LogEntryFields, isPrinted: boolean): number =>
  isOutput(entry, isPrinted) ? entry.content.split('\n').length : 1;

/** The entry, of printed output the lines alone, if it has all the words in any case.
 *  @returns null where it has not */
export function withWords(entry: LogEntryFields, query: string, isPrinted: boolean): LogEntryFields | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  if (!isOutput(entry, isPrinted)) return hasAll(`${entry.tool_name ?? ''}\n${entry.content}`) ? entry : null;
  const lines = entry.content.split('\n').filter(hasAll);
  return lines.length > 0 ? { ...entry, content: lines.join('\n') } : null;
}

const isOutput = ({ type, metadata }: LogEntryFields, isPrinted: boolean): boolean =>
  metadata?.stream !== undefined || (isPrinted && type === 'assistant_message');
