import { fieldsOf } from '../../platform/fields/field-node.js';
import type { PromptDefinition, Toolset } from '../tool.js';
import type { ToolEntry } from './published-tool.js';

/** The listed tools of the loop, in the order of work. */
function loopEntries(toolset: Toolset, listed: readonly ToolEntry[]): ToolEntry[] {
  return toolset.loop.flatMap((name) => listed.filter(({ definition }) => definition.name === name));
}

/** One line for each tool of the loop: a choice, not a sequence, so without numbers. */
export function loopLines(toolset: Toolset, listed: readonly ToolEntry[]): string[] {
  return loopEntries(toolset, listed).map(
    ({ definition: { name, guide } }) => `- ${name}: when ${lowered(guide.useWhen)}`,
  );
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** Rules for every tool; a rule about a field is only given if a listed tool has that field. */
export function loopRules(listed: readonly ToolEntry[]): string[] {
  const withField = (field: string) =>
    listed.filter(({ definition }) => fieldsOf(definition.input).has(field)).map(({ definition }) => definition.name);
  const retried = withField('request_id');
  const waiting = withField('wait_ms');
  return [
    'On an error, read `hint`: it names the next call. Repeat the same call only if `retryable` is true.',
    ...(retried.length
      ? [
          `Pass \`request_id\` to ${retried.join(', ')}: a repeated call then returns the first result ` +
            'instead of acting twice.',
        ]
      : []),
    ...(waiting.length ? [`Wait with \`wait_ms\` on ${waiting.join(', ')} instead of polling in a tight loop.`] : []),
  ];
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
