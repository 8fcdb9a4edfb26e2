import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { markerVariable, signal, startedAt, sweep } from './process-table.mjs';
import type { Launched, LaunchedChild, Launcher, ProcessEnd, ProcessSpec } from './process-types.js';

/** Starts programs as children of this process. */
export const besideServer: Launcher = { launch };

function launch(spec: ProcessSpec): Launched {
  try {
    const child = spawn(spec.program, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [markerVariable]: spec.marker },
      detached: true,
      stdio: [spec.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    return { child: launched(child, spec), exited: exitOf(child, spec) };
  } catch (error) {
    return { child: null, exited: Promise.resolve(notStarted(error, spec)) };
  }
}

function launched(child: ChildProcess, { marker }: ProcessSpec): LaunchedChild | null {
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined) return null;
  const since = startedAt(pid);
  return {
    ...{ pid, stdin, stdout: stdout!, stderr: stderr! },
    // Only while the program is not reaped is the number of the group certain to be its own.
    signal: (name) => void (child.exitCode === null && child.signalCode === null && signal(-pid, name)),
    killSurvivors: async () => {
      // While a member of the group lives, the system does not reuse its number; so a process with that number is a
      // stranger.
      const isReused = signal(pid, 0);
      if (!isReused) signal(-pid, 'SIGKILL');
      await sweep([marker], since);
    },
  };
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
