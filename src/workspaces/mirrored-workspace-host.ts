import { exists } from '../git/if-there.js';
import { KeyedLimit } from '../git/limits.js';
import { invokeOn, portBy, type PortMethod } from './port/port-methods.js';
import type { Workspace, WorkspaceHost } from './workspace-host.js';
import { clonedRepository } from './workspace-paths.js';

export interface Mirrors {
  /** Path of this runner's clone of a repository. */
  place(repo_id: string): string;
  /** Null for a repository that was added by path. */
  urlOf(repo_id: string): Promise<string | null>;
}

/** The worktrees of one of several runners, each of which has a clone of its own of what has a URL: made when it is
 *  first needed. A path in the records is that of the runner which was asked first, and says nothing about this one:
 *  in a cluster the same path is another disk. */
export function mirroredWorkspaceHost(local: WorkspaceHost, mirrors: Mirrors): WorkspaceHost {
  const clones = new KeyedLimit();

  const ownPath = async (repo_path: string): Promise<string> => {
    const repo_id = clonedRepository(repo_path);
    if (repo_id === null) return repo_path;
    return clones.run(repo_id, async () => {
      if (await exists(mirrors.place(repo_id))) return mirrors.place(repo_id);
      const url = await mirrors.urlOf(repo_id);
      return url === null ? repo_path : (await local.clone(url, repo_id)).root;
    });
  };

  const own = async (workspace: Workspace): Promise<Workspace> => {
    const repos = workspace.repos.map(async (repo) => ({ ...repo, repo_path: await ownPath(repo.repo_path) }));
    return { ...workspace, repos: await Promise.all(repos) };
  };

  const invoke = async (method: PortMethod, [first, ...others]: readonly unknown[]): Promise<unknown> =>
    invokeOn(local, method, [await here(method, first), ...others]);

  const here = (method: PortMethod, first: unknown): unknown => {
    if (typeof first === 'object') return own(first as Workspace);
    return method === 'branches' || method === 'branchExists' ? ownPath(first as string) : first;
  };

  return {
    ...portBy(invoke),
    workingDirectory: (workspace) => local.workingDirectory(workspace),
    ownFolders: (workspace) => local.ownFolders(workspace),
    repositoryDirectory: (workspace, repo_name) => local.repositoryDirectory(workspace, repo_name),
    confinement: async (workspace) => local.confinement(await own(workspace)),
    checkSubjects: async (workspace, options) => local.checkSubjects(await own(workspace), options),
    checkOut: async (workspace, wanted) => local.checkOut(await own(workspace), wanted),
    discardCheckout: (id) => local.discardCheckout(id),
    refresh: async (workspace) => local.refresh(await own(workspace)),
    snapshot: async (workspace, options) => local.snapshot(await own(workspace), options),
    forgetSaves: async (workspace, saves) => local.forgetSaves(await own(workspace), saves),
    rebuild: async (workspace, inheritance) => local.rebuild(await own(workspace), inheritance),
    disposeStray: async (workspace) => local.disposeStray(await own(workspace)),
    listAttempts: () => local.listAttempts(),
    listClones: () => local.listClones(),
    discardClone: (repo_id) => local.discardClone(repo_id),
  };
}
