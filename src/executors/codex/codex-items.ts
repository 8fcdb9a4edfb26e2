import { listOf, numberOf, objectOf, textOf, type Json } from '../agent/json.js';
import type { NormalizedEntry } from '../log-entry.js';

interface ToolCall {
  tool_name: string;
  title: string;
  input: Json;
  paths?: string[];
}

/** Items that are tools: how their call reads, by type. */
const tools: Record<string, (item: Json) => ToolCall> = {
  commandExecution: ({ command, cwd }) => ({
    tool_name: 'command',
    title: withoutShell(textOf(command)),
    input: { command, cwd },
  }),
  fileChange: ({ changes }) => {
    const files = listOf(changes)
      .map(objectOf)
      .map(({ path, kind }) => ({ path: textOf(path), kind: textOf(objectOf(kind).type) }));
    const paths = files.map(({ path }) => path);
    return {
      tool_name: 'file_change',
      title: files.map(({ path, kind }) => `${kind || 'change'} ${path}`).join(', '),
      input: { changes },
      paths,
    };
  },
  mcpToolCall: ({ server, tool, arguments: input }) => ({
    tool_name: `${textOf(server)}.${textOf(tool)}`,
    title: `${textOf(server)}.${textOf(tool)}`,
    input: objectOf(input),
  }),
  dynamicToolCall: ({ tool, arguments: input }) => ({
    tool_name: textOf(tool),
    title: textOf(tool),
    input: objectOf(input),
  }),
  webSearch: ({ query }) => ({ tool_name: 'web_search', title: textOf(query) || 'search the web', input: { query } }),
  imageView: ({ path }) => ({ tool_name: 'view_image', title: textOf(path), input: { path } }),
};

export const isTool = (item: Json): boolean => textOf(item.type) in tools;

export function toolUse(item: Json): NormalizedEntry {
  const { tool_name, title, input, paths } = tools[textOf(item.type)]!(item);
  return {
    type: 'tool_use',
    content: title || tool_name,
    tool_call: textOf(item.id),
    tool_name,
    metadata: { input, ...(paths && { paths }) },
  };
}

export function toolResult(item: Json): NormalizedEntry {
  const { tool_name } = tools[textOf(item.type)]!(item);
  const exit_code = numberOf(item.exitCode);
  return {
    type: 'tool_result',
    content: resultText(item),
    tool_call: textOf(item.id),
    tool_name,
    metadata: { status: textOf(item.status) || 'completed', ...(exit_code !== null && { exit_code }) },
  };
}

export const reasoningText = ({ summary, content }: Json): string =>
  [...listOf(summary), ...listOf(content)].map(textOf).join('\n\n').trim();

function resultText(item: Json): string {
  const failure = textOf(objectOf(item.error).message);
  const parts = listOf(objectOf(item.result).content ?? item.contentItems)
    .map(objectOf)
    .map(({ text }) => textOf(text));
  return textOf(item.aggregatedOutput) || failure || parts.filter(Boolean).join('\n');
}

/** `/bin/bash -lc 'make test'` → `make test`. */
function withoutShell(command: string): string {
  return /^\S*\/(?:ba|z|da)?sh -l?c '(.*)'$/s.exec(command)?.[1]?.replaceAll(`'\\''`, `'`) ?? command;
}
