import type { Toolset } from '../tool.js';
import { loopRules, loopLines } from './loop-guide.js';
import type { ToolEntry } from './published-tool.js';

/** What a client shows its model once: what this is, the loop, the habits. Names only tools that are listed. */
export function serverInstructions(toolset: Toolset, listed: readonly ToolEntry[]): string {
  const lines = loopLines(toolset, listed);
  return [toolset.introduction, ...(lines.length ? ['', 'The loop:', ...lines] : []), '', ...loopRules(listed)].join(
    '\n',
  );
}
