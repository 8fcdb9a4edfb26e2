import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { owners } from './connection.mjs';

const cli = path.join(import.meta.dirname, '../../dist/bundle/cli.js');
const probe = path.join(import.meta.dirname, 'peak-probe.mjs');

/** Types a command of `taskyard` and waits for its end. @param settings its environment beyond PATH, HOME and TMPDIR */
export async function command(args, settings, cwd) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', probe, cli, ...args], {
    env: environment(settings),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [stdout, stderr, peak] = await Promise.all([1, 2, 3].map((at) => text(child.stdio[at])));
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`taskyard ${args[0]} ended with ${child.exitCode}: ${stderr}`);
  return { seconds: (performance.now() - startedAt) / 1_000, peakRssBytes: Number(peak), stdout };
}

/** What the owner of a server has in the shell. */
export function ownerSettings(url) {
  const { authorization = '' } = owners.get(new URL(url).origin) ?? {};
  return { TASKYARD_URL: url, TASKYARD_TOKEN: authorization.replace('Bearer ', '') };
}

/** From the start of a process to the first bytes it says. @param args of node */
export async function untilSaid(args, settings, cwd) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: environment(settings),
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const ms = performance.now() - startedAt;
  child.stdout.resume();
  if (child.exitCode === null) await once(child, 'exit');
  return ms;
}

function environment(settings) {
  const { PATH, HOME, TMPDIR } = process.env;
  return { ...(TMPDIR ? { TMPDIR } : {}), PATH, HOME, ...settings };
}
