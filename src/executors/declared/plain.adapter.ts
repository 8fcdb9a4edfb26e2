import type { Availability, CommandLine, ExecutorAdapter, ExecutorInfo, Normalizer, Turn } from '../executor.js';
import type { ProgramFinder } from '../find-program.js';
import { ShellNormalizer } from '../shell/shell.normalizer.js';
import type { DeclaredExecutor } from './declared-executors.js';

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
      variants: Object.keys(declared.variants).filter((name) => name !== 'DEFAULT'),
    };
  }

  availability(): Promise<Availability> {
    return Promise.resolve(this.programs.availability(this.wanted));
  }

  /** The prompt stands where {prompt} does, else at the end. */
  command({ prompt, variant }: Turn): CommandLine {
    const { command, args, env, variants } = this.declared;
    const chosen = variants[variant ?? 'DEFAULT'];
    const all = [...args, ...(chosen?.args ?? [])];
    const filled = all.some((one) => one.includes(PROMPT))
      ? all.map((one) => one.replaceAll(PROMPT, () => prompt))
      : [...all, prompt];
    return { program: this.programs.find(this.wanted) ?? command, args: filled, env: { ...env, ...chosen?.env } };
  }

  normalizer(): Normalizer {
    return new ShellNormalizer();
  }

  private get wanted() {
    return { executor: this.declared.id, program: this.declared.command, install: 'see executors.json' };
  }
}
