import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/mcp-client.js';
import type { OfferedTool, ToolCall } from './dialect.js';

const shells = ['Bash', 'bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell'];
const writers = ['Write', 'write', 'write_file', 'create', 'apply_patch'];

/** Runs a command with the agent's own shell. */
export function shellCall(tools: OfferedTool[], command: string): ToolCall {
  const tool = oneOf(tools, shells);
  const line = tool.schema.properties?.command?.type === 'array' ? ['bash', '-c', command] : command;
  return toolCall(
    tool,
    filled(tool, { command: line, cmd: command, description: 'run a command', is_background: false }),
  );
}

/** Writes a new file with the agent's own tool for that. */
export function writeCall(tools: OfferedTool[], folder: string, name: string, line: string): ToolCall {
  const tool = oneOf(tools, writers);
  const patch = `*** Begin Patch\n*** Add File: ${name}\n+${line}\n*** End Patch\n`;
  if (tool.type === 'custom') return toolCall(tool, patch);
  const file = `${folder}/${name}`;
  return toolCall(
    tool,
    filled(tool, {
      file_path: file,
      filePath: file,
      path: file,
      content: `${line}\n`,
      file_text: `${line}\n`,
      input: patch,
    }),
  );
}

/** Tools of MCP servers get names that end with their own. Some agents offer them only after a search. */
export const isTool =
  (name: string) =>
  (tool: OfferedTool): boolean =>
    tool.name.endsWith(name);
export const searchTool = 'tool_search';

export function namedCall(tools: OfferedTool[], name: string, input: Json): ToolCall {
  const tool = tools.find(isTool(name));
  if (!tool) throw none([name], tools);
  return toolCall(tool, input);
}

const toolCall = (tool: OfferedTool, input: Json | string): ToolCall => ({
  id: `call_${randomUUID().slice(0, 8)}`,
  tool,
  input,
});

function oneOf(tools: OfferedTool[], names: string[]): OfferedTool {
  const tool = names.flatMap((name) => tools.find((one) => one.name === name) ?? [])[0];
  if (!tool) throw none(names, tools);
  return tool;
}

const none = (names: string[], tools: OfferedTool[]) =>
  new Error(`none of ${names.join(', ')} is among ${tools.map(({ name }) => name).join(', ')}`);

/** The arguments that the tool knows, of all that agents call them. */
function filled({ schema }: OfferedTool, all: Json): Json {
  return Object.fromEntries(Object.entries(all).filter(([name]) => schema.properties?.[name] !== undefined));
}
