import { optionalLine, requiredLine } from '../../platform/fields/mode-notes.js';
import type { ToolDefinition } from '../tool.js';

export const descriptionHeadings = ['Use when:', 'Required:', 'Optional:', 'Next:', 'Avoid:'] as const;

/** Five lines in a fixed order, so that an agent finds what it needs by position. The field lists are computed. */
export function toolDescription({ input, guide }: ToolDefinition): string {
  const lines = [guide.useWhen, requiredLine(input), optionalLine(input), guide.next, guide.avoid];
  return descriptionHeadings.map((heading, index) => `${heading} ${lines[index]}`).join('\n');
}
