import type { WorkspaceHost } from '../workspace-host.js';

/** Only ever asked by the runner that holds the worktrees, of itself. */
type HomeMethod =
  | 'workingDirectory'
  | 'repositoryDirectory'
  | 'confinement'
  | 'settle'
  | 'snapshot'
  | 'forgetSaves'
  | 'rebuild'
  | 'listAttempts'
  | 'disposeStray'
  | 'listClones'
  | 'discardClone';
export type PortMethod = Exclude<keyof WorkspaceHost, HomeMethod>;

export interface PortRow {
  /** How long the runner may take; it says all the while that it lives. */
  timeoutMs: number;
  /** Field of the answer that may be large: it travels as bytes of its own, behind the rest. */
  text?: string;
}

/** A look at files and refs. */
const LOOK_MS = 60_000;
/** Work of git on a whole tree, which waits for others of the same repository. */
const WORK_MS = 5 * 60_000;
/** Clones and trees are filled over slow networks and on slow disks. */
const FILL_MS = 30 * 60_000;

/** What the port answers over the network: each method once, for both ends. */
export const portMethods: Readonly<Record<PortMethod, PortRow>> = {
  inspect: { timeoutMs: LOOK_MS },
  clone: { timeoutMs: FILL_MS },
  branches: { timeoutMs: FILL_MS }, // a runner that lacks the repository clones it first
  branchExists: { timeoutMs: FILL_MS },
  prepare: { timeoutMs: FILL_MS },
  changes: { timeoutMs: LOOK_MS },
  file: { timeoutMs: LOOK_MS, text: 'content' },
  patch: { timeoutMs: LOOK_MS, text: 'patch' },
  dispose: { timeoutMs: WORK_MS },
  isDirty: { timeoutMs: LOOK_MS },
  commit: { timeoutMs: WORK_MS },
  standing: { timeoutMs: WORK_MS },
  makeLanding: { timeoutMs: WORK_MS },
  checkout: { timeoutMs: LOOK_MS },
  land: { timeoutMs: WORK_MS },
  holds: { timeoutMs: LOOK_MS },
  anchor: { timeoutMs: WORK_MS },
  updateBranch: { timeoutMs: WORK_MS },
  continueUpdate: { timeoutMs: WORK_MS },
  abortUpdate: { timeoutMs: WORK_MS },
  renameBranch: { timeoutMs: WORK_MS },
  push: { timeoutMs: FILL_MS },
  pushedBranch: { timeoutMs: WORK_MS },
  heads: { timeoutMs: LOOK_MS },
  remoteOf: { timeoutMs: LOOK_MS },
};

export const isPortMethod = (name: string): name is PortMethod => Object.hasOwn(portMethods, name);

type PortMethods = Pick<WorkspaceHost, PortMethod>;
/** One way to answer every method. */
export type Invoke = (method: PortMethod, args: readonly unknown[]) => Promise<unknown>;

/** The port's methods, all answered in one way. */
export function portBy(invoke: Invoke): PortMethods {
  const entries = Object.keys(portMethods)
    .filter(isPortMethod)
    .map((method) => [method, (...args: unknown[]) => invoke(method, args)]);
  return Object.fromEntries(entries) as PortMethods;
}

/** Calls one method of a host by its name. */
export function invokeOn(host: PortMethods, method: PortMethod, args: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(host[method], host, args) as Promise<unknown>;
}
