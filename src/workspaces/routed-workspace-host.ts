import { Logger } from '@nestjs/common';
import { isLive, type RunnerRow, type RunnersRepository } from '../cluster/runners.repository.js';
import { AppError } from '../platform/errors/app-error.js';
import type { PortClient } from './port/port-client.js';
import { invokeOn, portBy, type PortMethod } from './port/port-methods.js';
import type { Workspace } from './workspace-paths.js';
import type { WorkspaceHost } from './workspace-host.js';

/** This process within the cluster. */
export interface ThisProcess {
  runner_id: string;
  /** False for ROLE=api, which has neither worktrees nor git and asks runners. */
  holdsWorktrees: boolean;
  local: WorkspaceHost;
}

const TRIES = 3;

/** The port of a cluster: a local call if this process is the home of the attempt, else a request to the home. Calls
 *  about no attempt go to any runner. */
export function routedWorkspaceHost(
  { runner_id, holdsWorktrees, local }: ThisProcess,
  runnerRows: RunnersRepository,
  client: PortClient,
): WorkspaceHost {
  const logger = new Logger('RoutedWorkspaceHost');

  const invoke = async (method: PortMethod, args: readonly unknown[]): Promise<unknown> => {
    const home = homeOf(args);
    if (home === undefined || home === null)
      return holdsWorktrees ? invokeOn(local, method, args) : askAny(method, args);
    if (home === runner_id) return invokeOn(local, method, args);
    return client.call(await endOf(home), method, args);
  };

  const endOf = async (home: string) => {
    const row = await runnerRows.find(home);
    if (row === null || !isLive(row.state)) throw unavailable(home, row);
    return row;
  };

  const askAny = async (method: PortMethod, args: readonly unknown[]): Promise<unknown> => {
    const ends = (await runnerRows.list()).filter(isAskable).sort(byReadiness).slice(0, TRIES);
    for (const [at, end] of ends.entries())
      try {
        return await client.call(end, method, args);
      } catch (error) {
        const isLast = at === ends.length - 1;
        if (isLast || !(error instanceof AppError) || error.code !== 'workspace_unavailable') throw error;
        logger.warn({ err: error, method }, 'a runner did not answer; another one is asked');
      }
    throw new AppError('workspace_unavailable', { runner_id: null, reason: 'no runner is ready' });
  };

  return {
    ...portBy(invoke),
    workingDirectory: (workspace) => local.workingDirectory(workspace),
    ownFolders: (workspace) => local.ownFolders(workspace),
    repositoryDirectory: (workspace, repo_name) => local.repositoryDirectory(workspace, repo_name),
    confinement: (workspace) => local.confinement(workspace),
    checkSubjects: (workspace, options) => local.checkSubjects(workspace, options),
    checkOut: (workspace, wanted) => local.checkOut(workspace, wanted),
    discardCheckout: (id) => local.discardCheckout(id),
    refresh: (workspace) => local.refresh(workspace),
    snapshot: (workspace, options) => local.snapshot(workspace, options),
    forgetSaves: (workspace, saves) => local.forgetSaves(workspace, saves),
    rebuild: (workspace, inheritance) => local.rebuild(workspace, inheritance),
    listAttempts: () => local.listAttempts(),
    disposeStray: (workspace) => local.disposeStray(workspace),
    listClones: () => local.listClones(),
    discardClone: (repo_id) => local.discardClone(repo_id),
  };
}

const isAskable = ({ role, state }: RunnerRow): boolean => role !== 'api' && isLive(state);

/** One that drains answers as long as it lives, and is asked last; what one for a single attempt makes goes with it. */
const byReadiness = (a: RunnerRow, b: RunnerRow): number => endsSoon(a) - endsSoon(b) || a.busy - b.busy;
const endsSoon = ({ state, life }: RunnerRow): number => (state === 'draining' ? 2 : Number(life === 'attempt'));

/** Undefined if the call is about no attempt. */
function homeOf([first]: readonly unknown[]): string | null | undefined {
  return typeof first === 'object' && first !== null ? (first as Workspace).home : undefined;
}

function unavailable(runner_id: string, row: RunnerRow | null): AppError {
  const since = row?.seen_at.toISOString();
  const reason =
    row === null
      ? 'it is not known any more'
      : `it ${row.state === 'left' ? 'left' : 'has been silent since'} ${since}`;
  return new AppError('workspace_unavailable', { runner_id, reason });
}
