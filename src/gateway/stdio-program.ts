import { Console } from 'node:console';
import { EnvironmentError, loadEnvironment } from '../config/environment.js';
import { cellProgram } from '../platform/process/cell-program.js';
import { CommandLineError, parseCommandLine } from './command-line.js';
import type { TokenSource } from './stdio-session.js';

/** `taskyard mcp --stdio`: MCP over standard input and output, until the input ends.
 *  @param tokensFor what a person at a shell sends to a server */
export async function serveTools(args: string[], tokensFor: (server: string) => TokenSource): Promise<void> {
  // Standard output belongs to the protocol, so everything else printed goes to standard error.
  globalThis.console = new Console(process.stderr, process.stderr);
  try {
    const choice = parseCommandLine(args);
    const environment = loadEnvironment();
    const { serveStdio } = await import('./stdio.js'); // a second of loading that a wrong argument need not wait for
    const { TASKFLOW_API_URL, TASKFLOW_SERVICE_TOKEN } = environment;
    const token = TASKFLOW_SERVICE_TOKEN ? () => TASKFLOW_SERVICE_TOKEN : tokensFor(TASKFLOW_API_URL);
    await serveStdio(choice, environment, token, process.stdin, process.stdout);
  } catch (error) {
    if (error instanceof CommandLineError) fail(error.message, 2);
    else if (error instanceof EnvironmentError) fail(`taskyard: ${error.message}`, 1);
    else throw error;
  }
}

/** `taskyard cell`: runs agents in a container of their own, for a server beside it. */
export async function serveCell(): Promise<void> {
  await import(cellProgram);
}

function fail(message: string, exitCode: number): void {
  console.error(message);
  process.exitCode = exitCode;
}
