#!/usr/bin/env node
import { Console } from 'node:console';
import { EnvironmentError, loadEnvironment } from '../config/environment.js';
import { cellProgram } from '../platform/process/cell-program.js';
import { CommandLineError, parseCommandLine } from './command-line.js';

// Standard output belongs to the protocol, so everything else printed goes to standard error.
globalThis.console = new Console(process.stderr, process.stderr);
// EPIPE: the client has gone, a normal end of the session.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  if (process.argv[2] === 'cell') await import(cellProgram);
  else await serveTools();
} catch (error) {
  if (error instanceof CommandLineError) fail(error.message, 2);
  else if (error instanceof EnvironmentError) fail(`taskyard: ${error.message}`, 1);
  else throw error;
}

async function serveTools(): Promise<void> {
  const choice = parseCommandLine(process.argv.slice(2));
  const environment = loadEnvironment();
  const { serveStdio } = await import('./stdio.js'); // a second of loading that a wrong argument need not wait for
  await serveStdio(choice, environment, process.stdin, process.stdout);
}

function fail(message: string, exitCode: number): void {
  console.error(message);
  process.exitCode = exitCode;
}
