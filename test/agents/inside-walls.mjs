// Runs a command behind the walls that a server of this user would build: `inside-walls.mjs FOLDER PROGRAM ARGUMENT…`.
// Plain JavaScript on the built server, because another user runs it as it stands.
import { spawnSync } from 'node:child_process';
import { chooseSandbox } from '../../dist/src/platform/sandbox/choose-sandbox.js';

const [folder, program, ...args] = process.argv.slice(2);
const settings = { ISOLATION: 'bubblewrap', RUN_MEMORY_MAX: 0, RUN_PROCESSES_MAX: 0, RUN_DISK_MAX: 0 };
const cell = (await chooseSandbox(settings, [], [])).open(`nested-${process.pid}`, {
  writable: [folder],
  readable: [],
});
const command = cell.wrap({ program, args }, folder);
const { status } = spawnSync(command.program, command.args, { stdio: 'inherit' });
await cell.close();
process.exit(status ?? 1);
