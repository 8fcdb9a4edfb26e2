import { Logger } from '@nestjs/common';
import type { RunnerRow, RunnersRepository } from '../cluster/runners.repository.js';
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
    if (row === null || row.state === 'lost') throw unavailable(home, row);
    return row;
  };

  const askAny = async (method: PortMethod, args: readonly unknown[]): Promise<unknown> => {
    const ready = (await runnerRows.list()).filter(({ role, state }) => role !== 'api' && state === 'ready');
    const ends = ready.sort((a, b) => a.busy - b.busy).slice(0, TRIES);
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

/** Undefined if the call is about no attempt. */
function homeOf([first]: readonly unknown[]): string | null | undefined {
  return typeof first === 'object' && first !== null ? (first as Workspace).home : undefined;
}

function unavailable(runner_id: string, row: RunnerRow | null): AppError {
  const reason = row === null ? 'it is not known any more' : `it has been silent since ${row.seen_at.toISOString()}`;
  return new AppError('workspace_unavailable', { runner_id, reason });
}
