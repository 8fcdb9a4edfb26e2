import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { markerVariable } from './process-table.mjs';
import type { ProcessEnd, ProcessSpec } from './process-types.js';

export interface Launched {
  /** Null when the program could not be started; `exited` then says why. */
  child: ChildProcess | null;
  exited: Promise<ProcessEnd>;
}

/** Starts the program in a session and process group of its own, without a shell. Never throws. */
export function launch(spec: ProcessSpec): Launched {
  try {
    const child = spawn(spec.program, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [markerVariable]: spec.marker },
      detached: true,
      stdio: [spec.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    return { child: child.pid === undefined ? null : child, exited: exitOf(child, spec) };
  } catch (error) {
    return { child: null, exited: Promise.resolve(notStarted(error, spec)) };
  }
}

/** On `exit`, not on `close`: a grandchild that inherited the output can hold `close` back for ever. */
function exitOf(child: ChildProcess, spec: ProcessSpec): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('exit', (exit_code, signal) => resolve({ exit_code, signal, spawn_error: null }));
    child.on('error', (error) => resolve(notStarted(error, spec)));
  });
}

/** The system answers ENOENT for a missing program and for a missing directory alike. */
function notStarted(error: unknown, { program, cwd }: ProcessSpec): ProcessEnd {
  const reason = existsSync(cwd) ? (error as Error).message : `the working directory ${cwd} does not exist`;
  return { exit_code: null, signal: null, spawn_error: `${program} could not be started: ${reason}` };
}
