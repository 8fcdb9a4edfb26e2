import { fieldsOf } from '../../platform/fields/field-node.js';
import type { Toolset } from '../tool.js';
import type { ToolEntry } from './published-tool.js';

/** The listed tools of the loop, in the order an agent walks them. */
export function loopEntries(toolset: Toolset, listed: readonly ToolEntry[]): ToolEntry[] {
  return toolset.loop.flatMap((name) => listed.filter(({ definition }) => definition.name === name));
}

/** One numbered line for each step of the loop. */
export function loopSteps(toolset: Toolset, listed: readonly ToolEntry[]): string[] {
  return loopEntries(toolset, listed).map(
    ({ definition }, index) => `${index + 1}. ${definition.name}: ${definition.guide.useWhen}`,
  );
}

/** Habits that hold for every tool; those that need a field are only named where a listed tool has it. */
export function loopRules(listed: readonly ToolEntry[]): string[] {
  const withField = (field: string) =>
    listed.filter(({ definition }) => fieldsOf(definition.input).has(field)).map(({ definition }) => definition.name);
  const retried = withField('request_id');
  const waiting = withField('wait_ms');
  return [
    'On an error read `hint`: it names the next call. Repeat the same call only when `retryable` is true.',
    ...(retried.length
      ? [
          `Give \`request_id\` to ${retried.join(', ')}: ` +
            'a repeated call then answers the first result instead of acting twice.',
        ]
      : []),
    ...(waiting.length ? [`Wait with \`wait_ms\` on ${waiting.join(', ')} instead of polling fast.`] : []),
  ];
}
