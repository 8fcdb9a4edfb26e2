import type { WorkspaceHost } from '../workspace-host.js';

/** Only called by the home itself, never over the network. */
type HomeMethod =
  | 'workingDirectory'
  | 'repositoryDirectory'
  | 'ownFolders'
  | 'confinement'
  | 'checkSubjects'
  | 'checkOut'
  | 'discardCheckout'
  | 'refresh'
  | 'snapshot'
  | 'forgetSaves'
  | 'rebuild'
  | 'listAttempts'
  | 'disposeStray'
  | 'listClones'
  | 'discardClone';
export type PortMethod = Exclude<keyof WorkspaceHost, HomeMethod>;

export interface PortRow {
  /** How long the runner may take; it sends signs of life meanwhile. */
  timeoutMs: number;
  /** Field of the answer that may be large, sent as plain bytes after the rest. */
  text?: string;
}

/** Reading files and refs. */
const LOOK_MS = 60_000;
/** Git work on a whole tree, which may queue behind others of the same repository. */
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
  diff: { timeoutMs: WORK_MS, text: 'content' },
  marks: { timeoutMs: LOOK_MS },
  lines: { timeoutMs: LOOK_MS },
  findLines: { timeoutMs: LOOK_MS },
  archiveAgentState: { timeoutMs: LOOK_MS, text: 'archive' },
  dispose: { timeoutMs: WORK_MS },
  isDirty: { timeoutMs: LOOK_MS },
  commit: { timeoutMs: WORK_MS },
  standing: { timeoutMs: WORK_MS },
  wouldConflict: { timeoutMs: WORK_MS },
  makeLanding: { timeoutMs: WORK_MS },
  checkout: { timeoutMs: LOOK_MS },
  land: { timeoutMs: WORK_MS },
  targetTip: { timeoutMs: LOOK_MS },
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
/** Invokes any method of the port. */
export type Invoke = (method: PortMethod, args: readonly unknown[]) => Promise<unknown>;

/** A port whose methods all call `invoke`. */
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
