import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { searchPath } from '../config/child-environment.js';
import type { Availability } from './executor.js';

/** Answers what `PROGRAM --version` prints, or null. */
export type VersionProbe = (program: string) => Promise<string | null>;

/** What is looked for: the name of the program, and how to get it. */
export interface Wanted {
  executor: string;
  program: string;
  install: string;
}

/** Finds the programs of agents: the configured command, then PATH. Nothing is downloaded. */
export class ProgramFinder {
  private readonly versions = new Map<string, string | null>();

  /** @param configured commands by executor, names or absolute paths */
  constructor(
    private readonly configured: Readonly<Record<string, string>>,
    private readonly probe: VersionProbe,
    private readonly folders: () => string[] = searchPath,
  ) {}

  /** Absolute path, looked up anew each time: an agent may be installed while the server runs. */
  find({ executor, program }: Pick<Wanted, 'executor' | 'program'>): string | null {
    const name = this.configured[executor] ?? program;
    if (path.isAbsolute(name)) return isProgram(name) ? name : null;
    return findOnPath(name, this.folders());
  }

  /** The version is null until it was found in the background, because some agents take seconds to report it. */
  availability(wanted: Wanted): Availability {
    const program = this.find(wanted);
    if (program === null) return { is_available: false, reason: this.whyNot(wanted), version: null };
    if (!this.versions.has(program)) this.learnVersion(program);
    return { is_available: true, reason: null, version: this.versions.get(program) ?? null };
  }

  private learnVersion(program: string): void {
    this.versions.set(program, null);
    this.probe(program).then(
      (said) => this.versions.set(program, versionIn(said)),
      () => undefined, // stays null, because the version is only shown
    );
  }

  private whyNot({ executor, program, install }: Wanted): string {
    const configured = this.configured[executor];
    if (configured !== undefined) return `the configured command ${configured} is not there or not executable`;
    return `${program} is not on the PATH; install it: ${install}`;
  }
}

/** `codex-cli 0.169.0` and `2.1.197 (Claude Code)` → the number. */
function versionIn(said: string | null): string | null {
  return said === null ? null : (/\d+\.\d+(\.\d+)?([-+][\w.]+)?/.exec(said)?.[0] ?? null);
}

/** Absolute path of a program in the first of the folders that has it. */
export const findOnPath = (name: string, folders = searchPath()): string | null =>
  folders.map((folder) => path.join(folder, name)).find(isProgram) ?? null;

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // does not exist, or cannot be run
  }
}
