#!/usr/bin/env node
import { CommanderError } from 'commander';
import { exits, report } from './exits.js';
import { commandLine } from './program.js';

// EPIPE: whoever read has gone, a normal end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const program = commandLine();
for (const command of [program, ...program.commands]) command.exitOverride();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exits.done : exits.usage;
  else process.exitCode = report(error);
}
