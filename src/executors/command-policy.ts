import { EnvironmentError, type Environment } from '../config/environment.js';
import { isLoopback } from '../platform/access/access-control.js';
import type { ExecutorAdapter } from './executor.js';
import { canonicalExecutor } from './executor-catalogue.js';

/** Why no command that a caller wrote runs here: prompts of SHELL, the `run` and `ask` lines of DEMO, scripts of
 *  repositories; null where they do. */
export function commandRefusal({ SHELL_EXECUTOR, HOST }: Pick<Environment, 'SHELL_EXECUTOR' | 'HOST'>): string | null {
  const isOn = SHELL_EXECUTOR === 'on' || (SHELL_EXECUTOR === 'auto' && isLoopback(HOST));
  return isOn ? null : 'commands are switched off; set SHELL_EXECUTOR=on to run them on this server';
}

/** Those that EXECUTORS lists; all where it lists none. @throws EnvironmentError that names an unknown one */
export function allowedExecutors(
  adapters: readonly ExecutorAdapter[],
  { EXECUTORS }: Pick<Environment, 'EXECUTORS'>,
): ExecutorAdapter[] {
  if (EXECUTORS.length === 0) return [...adapters];
  const names = EXECUTORS.map(canonicalExecutor);
  const known = adapters.map(({ info }) => info.executor);
  const unknown = EXECUTORS.filter((_, at) => !known.includes(names[at] as string));
  if (unknown.length > 0)
    throw new EnvironmentError(`EXECUTORS names ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  return adapters.filter(({ info }) => names.includes(info.executor));
}
