import { Argument, type Command } from 'commander';
import { useHomeForData, useServerForTools } from '../config/command-line.js';
import type { BackupOptions } from './backing-up.js';

/** What concerns a server on this machine, and the shell. */
export function addServer(program: Command): void {
  program
    .command('serve')
    .description('Run the server, with its embedded database unless DATABASE_URL is set; data in ~/.taskyard.')
    .action(async () => {
      useHomeForData();
      await import('../main.js');
    });
  program
    .command('doctor')
    .description('Say what is wrong with the set-up of a server here.')
    .action(async () => {
      useHomeForData();
      await import('../doctor/main.js');
    });
  program
    .command('mcp')
    .description('Speak MCP over standard input and output: taskyard mcp --stdio.')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      const { serverOf, tokensFor } = await import('./session.js');
      useHomeForData();
      useServerForTools(serverOf({}));
      await (await import('../gateway/stdio-program.js')).serveTools(process.argv.slice(2), tokensFor);
    });
  program
    .command('cell', { hidden: true })
    .action(async () => (await import('../gateway/stdio-program.js')).serveCell());
  program
    .command('completion')
    .description('Print what completes commands in a shell.')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash') => (await import('./completion.js')).complete(program, shell));
  addBackup(program);
}

function addBackup(program: Command): void {
  program
    .command('backup')
    .description('Write everything that a server has into one file, which only you can read.')
    .argument('<file>')
    .option('--server <url>', 'default: TASKYARD_URL, the one logged in to, http://127.0.0.1:8000')
    .option('--offline', 'of a stopped server: read its DATA_DIR or DATABASE_URL here')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: BackupOptions) => {
      useHomeForData();
      await (await import('./backing-up.js')).backup(file, options);
    });
  program
    .command('restore')
    .description('Fill an empty DATA_DIR or DATABASE_URL with a backup.')
    .argument('<file>')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: BackupOptions) => {
      useHomeForData();
      await (await import('./backing-up.js')).restore(file, options);
    });
}
