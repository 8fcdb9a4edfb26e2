import { readFileSync } from 'node:fs';

/** `pid:start time` of a live process, or undefined. A zombie is dead; a pid used again has another start time.
 *  Systems without /proc leave the start time empty. */
export function identityOf(pid: number): string | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromSignal(pid);
}

export function isLive(identity: string): boolean {
  return identityOf(Number.parseInt(identity, 10)) === identity;
}

function fromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold spaces and brackets
    return fields[0] === 'Z' ? undefined : `${pid}:${fields[19]}`;
  } catch {
    return undefined; // there is no such process
  }
}

function fromSignal(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return `${pid}:`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? `${pid}:` : undefined;
  }
}
