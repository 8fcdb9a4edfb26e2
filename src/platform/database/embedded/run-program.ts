import { execFile } from 'node:child_process';

/** The account that owns the cluster; empty means the current one. */
export interface ClusterUser {
  uid?: number;
  gid?: number;
}

export interface ProgramEnd {
  ok: boolean;
  output: string;
}

/** English messages, because causes are recognised by them; nothing of our own environment, which may hold secrets. */
export const programEnvironment = { LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program to its end, without a shell. A program that cannot be started is `ok: false` too. */
export function runProgram(program: string, args: readonly string[], user: ClusterUser): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    execFile(program, args, { ...user, cwd: '/', env: programEnvironment }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr || (error?.message ?? '')}` });
    });
  });
}
