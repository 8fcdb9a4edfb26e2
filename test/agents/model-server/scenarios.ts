import type { Json } from '../../support/mcp-client.js';
import type { Answer, Question, ToolCall } from './dialect.js';
import { isTool, namedCall, searchTool, shellCall, writeCall } from './tool-calls.js';

/** What the model does: it works, it talks, it looks where it is; or its server keeps silent, hangs up, or
 *  refuses with that status. */
export type Scenario = 'edit' | 'answer' | 'long_tool' | 'get_context' | 'silence' | 'hang_up' | 401 | 429 | 500;

export const edits = { command: 'by-command.txt', file: 'by-file-tool.txt' };
/** Runs until it is ended, and costs nothing. */
export const longCommand = 'tail -f /dev/null';
const HERE = /here:(?:\s|\\n)+(\/[^\s"\\]+)/;

/** The model's next answer. It depends on the question alone, so a resumed session goes on as it should. */
export function nextAnswer(scenario: Scenario, question: Question): Answer {
  if (question.form) return { text: JSON.stringify(sample(question.form)), call: null };
  const call = question.tools.length === 0 ? null : nextCall(scenario, question);
  return { text: call ? 'I use a tool.' : `The model has done: ${question.prompt}`, call };
}

function nextCall(scenario: Scenario, { tools, results }: Question): ToolCall | null {
  switch (scenario) {
    case 'edit':
      return nextEdit(tools, results);
    case 'long_tool':
      return results.length === 0 ? shellCall(tools, longCommand) : null;
    case 'get_context':
      return nextLook(tools, results);
    default:
      return null;
  }
}

/** First with the shell, which tells where it is, then with the tool for files. Where it may not do the first, it
 *  gives up. */
function nextEdit(tools: Question['tools'], results: string[]): ToolCall | null {
  if (results.length === 0) return shellCall(tools, `echo here: && pwd && echo 'by a command' >> ${edits.command}`);
  const [, folder] = HERE.exec(results[0]!) ?? [];
  return results.length === 1 && folder !== undefined ? writeCall(tools, folder, edits.file, 'by a file tool') : null;
}

function nextLook(tools: Question['tools'], results: string[]): ToolCall | null {
  const searches = tools.some(isTool(searchTool)) ? 1 : 0;
  if (results.length < searches) return namedCall(tools, searchTool, { query: 'get_context' });
  return results.length === searches ? namedCall(tools, 'get_context', {}) : null;
}

/** Something of the form. */
function sample({ type, enum: values, properties = {} }: Json): unknown {
  if (values) return values[0];
  switch (String(type).toLowerCase()) {
    case 'object':
      return Object.fromEntries(Object.entries(properties as Json).map(([name, form]) => [name, sample(form as Json)]));
    case 'array':
      return [];
    case 'string':
      return 'text';
    case 'boolean':
      return false;
    default:
      return 1;
  }
}
