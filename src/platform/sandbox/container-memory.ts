import { existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import path from 'node:path';
import type { Environment } from '../../config/environment.js';
import { ownFolder } from './cgroup-controllers.js';

/** Bytes that the server itself needs beside its runs. */
const SERVER = 1024 ** 3;

type Settings = Pick<Environment, 'RUN_MEMORY_MAX' | 'MAX_CONCURRENT_EXECUTIONS'>;

/** Bytes that this process and all others of its container may use together; null where the machine is the limit. */
export function containerMemory(root = '/sys/fs/cgroup'): number | null {
  const isUnified = existsSync(path.join(root, 'cgroup.controllers'));
  const mount = isUnified ? root : path.join(root, 'memory');
  const own = ownFolder(mount, isUnified ? '' : 'memory');
  const limits = upTo(mount, own).map((group) =>
    limitIn(path.join(group, isUnified ? 'memory.max' : 'memory.limit_in_bytes')),
  );
  const lowest = Math.min(...limits);
  return lowest < totalmem() ? lowest : null;
}

/** What is wrong with the limits of runs in a container of so many bytes, and what to set; null for nothing. */
export function memoryProblem(
  { RUN_MEMORY_MAX, MAX_CONCURRENT_EXECUTIONS: slots }: Settings,
  limit = containerMemory(),
): { what: string; mend: string } | null {
  if (limit === null) return null;
  const most = Math.floor((limit - SERVER) / slots);
  if (RUN_MEMORY_MAX > 0 && RUN_MEMORY_MAX <= most) return null;
  const each = RUN_MEMORY_MAX === 0 ? 'without limit' : `of ${RUN_MEMORY_MAX} bytes (RUN_MEMORY_MAX)`;
  return {
    what: `${slots} runs ${each} can use up the ${limit} bytes of this container, and the server ends with them`,
    mend:
      most > 0
        ? `Set RUN_MEMORY_MAX to at most ${most}, lower MAX_CONCURRENT_EXECUTIONS, or give the container more memory.`
        : 'Give the container more than 1 GiB of memory.',
  };
}

function upTo(mount: string, own: string): string[] {
  const groups = [own];
  for (let group = own; group.startsWith(`${mount}/`);) groups.push((group = path.dirname(group)));
  return groups;
}

/** Infinity where there is none. */
function limitIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').trim().replace('max', 'Infinity'));
  } catch {
    return Infinity; // the root group has no such file
  }
}
