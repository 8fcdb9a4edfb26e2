import { Console } from 'node:console';
import { EnvironmentError, loadEnvironment } from '../config/environment.js';
import { cellProgram } from '../platform/process/cell-program.js';
import { CommandLineError, parseCommandLine } from './command-line.js';

/** `taskyard mcp --stdio`: MCP over standard input and output, until the input ends. */
export async function serveTools(args: string[]): Promise<void> {
  // Standard output belongs to the protocol, so everything else printed goes to standard error.
  globalThis.console = new Console(process.stderr, process.stderr);
  try {
    const choice = parseCommandLine(args);
    const environment = loadEnvironment();
    const { serveStdio } = await import('./stdio.js'); // a second of loading that a wrong argument need not wait for
    await serveStdio(choice, environment, process.stdin, process.stdout);
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
