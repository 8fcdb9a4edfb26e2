import type { Json } from '../../support/mcp-client.js';
import type { Answer, Question, ToolCall } from './dialect.js';
import { isTool, namedCall, searchTool, shellCall, writeCall } from './tool-calls.js';

/** What the model does: it works, it talks, it looks where it is, it brings its work to the target by the hints it is
 *  given; or its server keeps silent, hangs up, or refuses with
 *  that status. */
export type Scenario =
  'edit' | 'answer' | 'long_tool' | 'get_context' | 'deliver' | 'silence' | 'hang_up' | 401 | 429 | 500;

export const edits = { command: 'by-command.txt', file: 'by-file-tool.txt' };
/** Runs until it is ended, and costs nothing. */
const longCommand = 'tail -f /dev/null';
const HERE = /here:(?:\s|\\n)+(\/[^\s"\\]+)/;

/** The model's next answer. It depends on the question alone, so a resumed session goes on as it should. */
export function nextAnswer(scenario: Scenario, question: Question): Answer {
  if (question.form) return { text: JSON.stringify(sample(question.form)), call: null };
  const call = question.tools.length === 0 ? null : nextCall(scenario, question);
  return { text: call ? 'I use a tool.' : `The model has done: ${question.prompt}`, call };
}

function nextCall(scenario: Scenario, question: Question): ToolCall | null {
  const { tools, results } = question;
  switch (scenario) {
    case 'edit':
      return nextEdit(tools, results);
    case 'long_tool':
      return results.length === 0 ? shellCall(tools, longCommand) : null;
    case 'get_context':
      return nextLook(tools, results);
    case 'deliver':
      return nextDelivery(question);
    default:
      return null;
  }
}

/** First with the shell, which prints where it is, then with the tool for files. Refused the first, it gives up. */
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

const HINT = /hint\\*"\s*:\s*\\*"([^"\\]+)/;
const STEP = /(\w+) with action=(\w+)|resolve it|merge again/g;
/** What it writes in place of a conflict. */
export const resolution = 'by both';

/** It tries to merge, and then does what the hint of the refusal says, word by word. */
function nextDelivery({ tools, results, prompt }: Question): ToolCall | null {
  const searches = tools.some(isTool(searchTool)) ? 1 : 0;
  if (results.length < searches) return namedCall(tools, searchTool, { query: 'merge_attempt update_attempt_branch' });
  const [attempt_id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(prompt)!;
  const [first, ...others] = results.slice(searches);
  if (first === undefined) return namedCall(tools, 'merge_attempt', { attempt_id });
  const [, hint = ''] = HINT.exec(first) ?? [];
  const step = [...hint.matchAll(STEP)][others.length];
  if (step === undefined) return null;
  const [word, tool, action] = step;
  if (tool !== undefined) return namedCall(tools, tool, { attempt_id, action });
  if (word === 'merge again') return namedCall(tools, 'merge_attempt', { attempt_id });
  return shellCall(tools, `echo '${resolution}' > ${edits.command} && git add --all`);
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
