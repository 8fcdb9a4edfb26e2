import { fieldsOf } from '../../platform/fields/field-node.js';
import type { PromptDefinition, Toolset } from '../tool.js';
import type { ToolEntry } from './published-tool.js';

/** The listed tools of the loop, in the order of work. */
function loopEntries(toolset: Toolset, listed: readonly ToolEntry[]): ToolEntry[] {
  return toolset.loop.flatMap((name) => listed.filter(({ definition }) => definition.name === name));
}

/** One line for each tool of the loop, and one for those that it needs now and then. */
export function loopLines(toolset: Toolset, listed: readonly ToolEntry[]): string[] {
  const steps = loopEntries(toolset, listed).map(
    ({ definition: { name, guide } }) => `- ${name}: when ${lowered(guide.useWhen)}`,
  );
  const others = toolset.whenNeeded?.filter((name) => listed.some(({ definition }) => definition.name === name)) ?? [];
  return others.length > 0 ? [...steps, `When needed: ${others.join(', ')}.`] : steps;
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** Rules for every tool; a rule about a field is only given if a listed tool has that field. */
export function loopRules(listed: readonly ToolEntry[]): string[] {
  const isTaken = (field: string) => listed.some(({ definition }) => fieldsOf(definition.input).has(field));
  const rules: [isTold: boolean, rule: string][] = [
    [true, 'On an error, follow `hint` and `details.next`. Repeat a call only if `retryable` is true.'],
    [isTaken('request_id'), 'Pass `request_id` where there is one: a retry then answers the first result.'],
    [isTaken('wait_ms'), 'Wait with `wait_ms` instead of polling.'],
  ];
  return rules.flatMap(([isTold, rule]) => (isTold ? rule : []));
}

/** What a client shows its model once: introduction, loop, rules. Names only listed tools. */
export function serverInstructions(toolset: Toolset, listed: readonly ToolEntry[]): string {
  const lines = loopLines(toolset, listed);
  return [toolset.introduction, ...(lines.length ? ['', 'The loop:', ...lines] : []), '', ...loopRules(listed)].join(
    '\n',
  );
}

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
