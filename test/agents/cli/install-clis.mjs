import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { pinnedClis } from './pinned-clis.mjs';

const folder = path.join(import.meta.dirname, '../../../.agent-clis');
const PATIENCE_MS = 10 * 60_000;

/** Each CLI on its own, once, into a folder of the project. @returns by executor its program, or in a line why
 *  there is none */
export async function installClis() {
  const found = {};
  for (const cli of pinnedClis) found[cli.executor] = await install(cli);
  return found;
}

async function install(cli) {
  const home = path.join(folder, `${cli.package}@${cli.version}`);
  const program = path.join(home, 'node_modules', '.bin', cli.program);
  try {
    if (!existsSync(program)) await download(cli, home);
    return { program };
  } catch (error) {
    return { why: reason(error) };
  }
}

/** Half an installation never stands where a whole one is looked for. */
async function download({ package: name, version, scripts }, home) {
  const partial = `${home}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  console.log(`Installing ${name}@${version} …`);
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error', `--ignore-scripts=${!scripts}`];
  await promisify(execFile)('npm', ['install', '--prefix', partial, ...flags, `${name}@${version}`], {
    cwd: partial,
    timeout: PATIENCE_MS,
  });
  renameSync(partial, home);
}

/** npm's own words, without the command and the place of its log. */
function reason({ stderr, message }) {
  const told = String(stderr || message)
    .split('\n')
    .filter((line) => /^npm (error|ERR!)/.test(line) && !/complete log|\.log$/.test(line));
  return (told.length > 0 ? told.map((line) => line.replace(/^npm (error|ERR!)\s*/, '')).join(' ') : message).slice(
    0,
    300,
  );
}
