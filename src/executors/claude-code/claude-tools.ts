import { listOf, objectOf, textOf, type Json } from '../agent/json.js';
import { planEntry } from '../agent/plan.js';
import type { NormalizedEntry } from '../log-entry.js';

/** Inputs that say best what a call does, in this order. */
const TITLE_INPUTS = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'url',
  'query',
  'description',
  'prompt',
  'skill',
];
const MAX_TITLE_CHARS = 500;

/** What a call does, in a line. */
export function toolTitle(name: string, input: Json): string {
  const title = TITLE_INPUTS.map((key) => textOf(input[key])).find(Boolean);
  return (title ?? name).slice(0, MAX_TITLE_CHARS).toWellFormed() || name;
}

/** A tool call; the tools that only keep a plan become plans. */
export function toolEntries(block: Json, parent: Json): NormalizedEntry[] {
  const tool_name = textOf(block.name) || 'tool';
  const input = objectOf(block.input);
  const use: NormalizedEntry = {
    type: 'tool_use',
    content: toolTitle(tool_name, input),
    tool_call: textOf(block.id),
    tool_name,
    metadata: { input, ...parent },
  };
  if (tool_name === 'TodoWrite')
    return [
      use,
      planEntry(
        listOf(input.todos)
          .map(objectOf)
          .map(({ content, status }) => ({ content: textOf(content), status: textOf(status) })),
      ),
    ];
  return tool_name === 'ExitPlanMode' && textOf(input.plan) !== ''
    ? [use, { type: 'plan', content: textOf(input.plan) }]
    : [use];
}

export function toolResultEntry(block: Json, parent: Json): NormalizedEntry {
  const status = block.is_error === true ? 'failed' : 'completed';
  return {
    type: 'tool_result',
    content: contentText(block.content),
    tool_call: textOf(block.tool_use_id),
    metadata: { status, ...parent },
  };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(objectOf)
    .map((part) => (part.type === 'text' ? textOf(part.text) : `[${textOf(part.type) || 'content'}]`))
    .join('\n');
}
