import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { Availability, Drive, ExecutorAdapter, ExecutorInfo, Turn } from '../executor.js';
import { commandRefusal, findShell, scriptCommand, scriptOf } from './script-command.js';
import { ShellDriver } from './shell.driver.js';

/** Runs the prompt as a script: a codemod or a CI step as an attempt, without a model. */
@Injectable()
export class ShellAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo = {
    executor: 'SHELL',
    variants: [],
    default_variant: null,
    supports_mcp: false,
    takes: 'script',
    note:
      'The prompt is a script, run in the repository, or in the folder of several. ' +
      'No error stops it: begin with set -e.',
  };

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  availability(): Promise<Availability> {
    const reason = this.whyNot();
    return Promise.resolve({ is_available: reason === null, reason, version: null });
  }

  drive(turn: Turn): Drive {
    return { command: scriptCommand(scriptOf(turn)), driver: new ShellDriver() };
  }

  private whyNot(): string | null {
    return commandRefusal(this.environment) ?? (findShell() === null ? 'neither bash nor sh is on the PATH' : null);
  }
}
