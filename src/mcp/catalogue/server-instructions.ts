import type { Toolset } from '../tool.js';
import { loopRules, loopLines } from './loop-guide.js';
import type { ToolEntry } from './published-tool.js';

/** What a client shows its model once: introduction, loop, rules. Names only listed tools. */
export function serverInstructions(toolset: Toolset, listed: readonly ToolEntry[]): string {
  const lines = loopLines(toolset, listed);
  return [toolset.introduction, ...(lines.length ? ['', 'The loop:', ...lines] : []), '', ...loopRules(listed)].join(
    '\n',
  );
}
