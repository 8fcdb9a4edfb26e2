import type { PromptDefinition, Toolset } from '../tool.js';
import { loopEntries, loopRules, loopLines } from './loop-guide.js';
import type { ToolEntry } from './published-tool.js';

/** Prompts of a toolset, if the listed tools suffice to walk the loop. */
export function promptsFor(toolset: Toolset, listed: readonly ToolEntry[]): PromptDefinition[] {
  return loopEntries(toolset, listed).length === toolset.loop.length ? [...(toolset.prompts ?? [])] : [];
}

/** Text of a prompt for the given arguments. */
export function promptText(
  prompt: PromptDefinition,
  values: Readonly<Record<string, string>>,
  toolset: Toolset,
  listed: readonly ToolEntry[],
): string {
  return [
    prompt.opening(values),
    '',
    'Follow this loop:',
    ...loopLines(toolset, listed),
    '',
    'Rules:',
    ...loopRules(listed).map((rule) => `- ${rule}`),
  ].join('\n');
}
