import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-error.js';
import { identityOf, isLive } from './process-identity.js';

/** What a server wrote about itself into its cluster. `identity` is undefined when that process has ended, also where
 *  its
 *  pid now belongs to another program. */
export interface Postmaster {
  pid: number;
  identity: string | undefined;
  port: number;
  /** Folder of its socket; empty where it listens on loopback. */
  socketFolder: string;
  ready: boolean;
}

const pollMs = 25;
const stopPatienceMs = 30_000;

export function postmasterFile(cluster: string): string {
  return path.join(cluster, 'postmaster.pid');
}

export function readPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(postmasterFile(cluster), 'utf8').split('\n');
  } catch {
    return undefined; // no server has written one
  }
  const pid = Number(lines[0]);
  return {
    pid,
    identity: serves(pid, cluster) ? identityOf(pid) : undefined,
    port: Number(lines[3]),
    socketFolder: lines[4] ?? '',
    ready: lines[7]?.trim() === 'ready',
  };
}

/** Fast shutdown: clients are cut off and data is written. Immediate shutdown when that takes too long. */
export async function stopPostmaster(identity: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    signalTo(identity, signal);
    if (await ends(identity)) return;
  }
  throw new EmbeddedPostgresError(`The embedded PostgreSQL (process ${Number.parseInt(identity, 10)}) did not stop.`);
}

async function ends(identity: string): Promise<boolean> {
  const giveUpAt = performance.now() + stopPatienceMs;
  while (isLive(identity)) {
    if (performance.now() > giveUpAt) return false;
    await delay(pollMs);
  }
  return true;
}

function signalTo(identity: string, signal: NodeJS.Signals): void {
  if (!isLive(identity)) return;
  try {
    process.kill(Number.parseInt(identity, 10), signal);
  } catch {
    // It ended just now.
  }
}

/** By working folder, or by arguments where that is unreadable (root without the ptrace capability).
 *  Without /proc only the connection decides. */
function serves(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return true;
  return workingFolder(pid) === cluster || argumentsOf(pid).includes(cluster);
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // it ended, or is another user's
  }
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return []; // it ended just now
  }
}
