import {
  type Availability,
  type CommandLine,
  type Drive,
  type ExecutorAdapter,
  type ExecutorInfo,
  namedVariants,
  type Turn,
  variantSettings,
} from '../executor.js';
import type { ProgramFinder } from '../find-program.js';
import { scriptOf } from '../shell/script-command.js';
import { ShellDriver } from '../shell/shell.driver.js';
import { DECLARED_IN, type DeclaredExecutor } from './declared-executors.js';

const PROMPT = '{prompt}';

/** A declared program that takes the prompt as an argument and prints what it has to say. */
export class PlainAdapter implements ExecutorAdapter {
  readonly info: ExecutorInfo;

  constructor(
    private readonly declared: DeclaredExecutor,
    private readonly programs: ProgramFinder,
  ) {
    this.info = {
      executor: declared.id,
      default_variant: 'DEFAULT',
      supports_mcp: false,
      takes: declared.takes,
      variants: namedVariants(declared.variants),
    };
  }

  get modelHosts(): readonly string[] {
    return this.declared.model_hosts;
  }

  availability(): Promise<Availability> {
    return Promise.resolve(this.programs.availability(this.wanted));
  }

  drive(turn: Turn): Drive {
    return { command: this.command(turn), driver: new ShellDriver(this.info.takes === 'prompt') };
  }

  /** The prompt stands where {prompt} does, else at the end. */
  private command(turn: Turn): CommandLine {
    const { id, command, args, env, variants, state, takes } = this.declared;
    const prompt = takes === 'script' ? scriptOf(turn) : turn.prompt;
    const chosen = variantSettings(id, variants, turn.variant);
    const all = [...args, ...chosen.args];
    const filled = all.some((one) => one.includes(PROMPT))
      ? all.map((one) => one.replaceAll(PROMPT, () => prompt))
      : [...all, prompt];
    return {
      program: this.programs.find(this.wanted) ?? command,
      args: filled,
      env: { ...env, ...chosen.env },
      state,
      installed: all,
    };
  }

  private get wanted() {
    return { executor: this.declared.id, program: this.declared.command, install: DECLARED_IN };
  }
}
