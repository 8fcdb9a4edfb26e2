import type { Environment } from '../../config/environment.js';
import { isLoopback } from '../../platform/access/access-control.js';
import type { CommandLine, Turn } from '../executor.js';
import { findOnPath } from '../find-program.js';

/** Why no command that a caller wrote runs here: prompts of SHELL, the `run` and `ask` lines of DEMO, scripts of
 *  repositories; null where they do. */
export function commandRefusal({ SHELL_EXECUTOR, HOST }: Pick<Environment, 'SHELL_EXECUTOR' | 'HOST'>): string | null {
  const isOn = SHELL_EXECUTOR === 'on' || (SHELL_EXECUTOR === 'auto' && isLoopback(HOST));
  return isOn ? null : 'commands are switched off; set SHELL_EXECUTOR=on to run them on this server';
}

/** Absolute path of bash, else sh, else null. */
export const findShell = (): string | null => findOnPath('bash') ?? findOnPath('sh');

/** A script as one argument of the shell; the system allows 128 KB for it. */
export function scriptCommand(script: string): CommandLine {
  return { program: findShell() ?? 'sh', args: ['-c', script], env: {} };
}

/** The script of a turn. Of a task only the description was written as one: its title is for people, and its lines
 *  become comments. */
export function scriptOf({ isTaskText, task: { title, description }, prompt }: Turn): string {
  if (!isTaskText) return prompt;
  const comments = title.split(/\r?\n/).map((line) => `# ${line}`);
  return `${comments.join('\n')}\n\n${description ?? ''}`;
}
