import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/environment.js';
import { choiceOf, type EndpointChoice } from '../mcp/mcp-endpoint.js';
import type { Toolset } from '../mcp/tool.js';
import { AppError } from '../platform/errors/app-error.js';
import { toolsets } from '../toolsets/toolsets.js';
import { ApiClient } from './api-client.js';
import { apiDispatcher } from './api-toolset.js';
import { CommandLineError, type StdioChoice } from './command-line.js';
import { logLines } from '../platform/telemetry/log-lines.js';
import { StdioSession, type TokenSource } from './stdio-session.js';

/** Speaks MCP over two streams, one message a line, until the input ends and every call is answered.
 *  @throws CommandLineError */
export async function serveStdio(
  choice: StdioChoice,
  environment: Environment,
  token: TokenSource,
  input: Readable,
  output: Writable,
): Promise<void> {
  const toolset = toolsetOf(choice.toolset);
  const api = new ApiClient(environment.TASKFLOW_API_URL);
  const session = new StdioSession(toolset, apiDispatcher(api, toolset), viewOf(choice.query), token);
  const pending = new Set<Promise<void>>();
  logLines({ ...environment, ROLE: 'gateway' }, 2);
  for await (const line of linesOf(input)) {
    const answering = session
      .answer(line)
      .then((answer) => {
        if (answer !== null) output.write(`${answer}\n`);
      })
      .finally(() => pending.delete(answering));
    pending.add(answering);
  }
  await Promise.all(pending);
}

/** The lines of a UTF-8 stream. Only \n ends a line, because JSON may contain every other separator. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const [first, ...more] = (chunk as string).split('\n');
    rest += first;
    for (const start of more) {
      yield rest;
      rest = start;
    }
  }
  if (rest !== '') yield rest;
}

function toolsetOf(id: string): Toolset {
  const toolset = toolsets.find((one) => one.id === id);
  if (!toolset)
    throw new CommandLineError(`unknown toolset ${id}, expected one of ${toolsets.map((one) => one.id).join(', ')}`);
  return toolset;
}

function viewOf(query: object): EndpointChoice {
  try {
    return choiceOf(query);
  } catch (error) {
    if (error instanceof AppError) throw new CommandLineError(error.message.replace(/\.$/, ''));
    throw error;
  }
}
