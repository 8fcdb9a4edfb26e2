import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Git } from '../git/git.js';
import { KeyedLimit } from '../git/limits.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { firstOf, readRefs } from '../git/refs.js';
import type { RemoteCredentials } from '../git/remote-link.js';
import { type Confinement, type Sandbox, withoutWalls } from '../platform/sandbox/sandbox.js';
import { archiveAgentState } from './agent-state-archive.js';
import { confinementOf } from './confinement.js';
import type { CheckoutFolder, CheckSubject, SubjectOptions, WantedCheckout } from './check-host.js';
import { commitWork, refreshTree } from './commit-work.js';
import { lookAt } from './look.js';
import { commonDirIfThere, emptyTrash, moveToTrash, presentTrees } from './trees.js';
import { type DisposeOptions, disposeStray, disposeWorkspace } from './dispose.js';
import { onDisk, type WorkspaceTools, workspaceTools } from './workspace-tools.js';
import { LocalDeliveries } from './local-deliveries.js';
import { prepareWorkspace } from './prepare.js';
import { rebuildWorkspace } from './rebuild.js';
import { type AccessSettings, RepositoryAccess } from './repository-access.js';
import { RemoteLinks } from './remote-links.js';
import { Remotes } from './remotes.js';
import { cloneRepository, listClones } from './repository-clone.js';
import type { Inheritance, RemoteSave, RepositorySnapshot, SnapshotOptions } from './saved-work.js';
import { ShowingHost } from './showing-host.js';
import { snapshotWorkspace } from './snapshot.js';
import {
  type RepositoryFacts,
  unknownBranch,
  type WantedBranch,
  type Workspace,
  type WorkspaceHost,
} from './workspace-host.js';
import { WorkspacePaths } from './workspace-paths.js';

const LISTED_BRANCHES = 20;

export interface HostOptions {
  /** The runner that owns these worktrees; empty for a single process. */
  owner?: string;
  /** For remotes; null if none are configured. */
  credentials?: RemoteCredentials | null;
  /** Default: none. */
  sandbox?: Sandbox;
}

/** The worktrees of this machine, below DATA_DIR. */
export class LocalWorkspaceHost
  extends ShowingHost
  implements WorkspaceHost, OnApplicationBootstrap, OnApplicationShutdown
{
  private readonly logger = new Logger(LocalWorkspaceHost.name);
  protected readonly tools: WorkspaceTools;
  private readonly paths: WorkspacePaths;
  private readonly access: RepositoryAccess;
  private readonly links: RemoteLinks;
  /** Folders of checks that are being removed. */
  private readonly emptying = new Set<Promise<void>>();
  protected readonly attempts = new KeyedLimit();
  protected readonly deliveries: LocalDeliveries;

  constructor(
    private readonly settings: AccessSettings,
    private readonly git: Git,
    { owner = '', credentials = null, sandbox = withoutWalls }: HostOptions = {},
  ) {
    super();
    this.paths = new WorkspacePaths(settings.DATA_DIR);
    this.access = new RepositoryAccess(settings);
    this.links = new RemoteLinks(git, this.access, credentials, settings.GIT_REMOTE_TIMEOUT_SECS * 1_000);
    const remotes = new Remotes(git, this.links, (repo_path) => this.isClone(repo_path));
    this.tools = workspaceTools(git, this.paths, remotes, { owner, sandbox });
    this.deliveries = new LocalDeliveries(this.tools);
  }

  inspect(path: string): Promise<RepositoryFacts> {
    return this.access.inspect(this.git, path);
  }

  clone(url: string, repo_id: string, wanted: WantedBranch | null = null): Promise<RepositoryFacts> {
    return onDisk(async () => {
      const target = this.paths.clone(repo_id);
      const facts = await cloneRepository(this.git, this.access, this.links, { url, target });
      if (wanted === null || (await this.branchExists(target, wanted.branch))) return facts;
      const { repo_name, branch: target_branch } = wanted;
      const unknown = await unknownBranch(this, { repo_name, repo_path: target, target_branch }, LISTED_BRANCHES);
      await this.discardClone(repo_id);
      throw unknown;
    });
  }

  listClones(): Promise<string[]> {
    return listClones(this.paths);
  }

  discardClone(repo_id: string): Promise<void> {
    return rm(this.paths.clone(repo_id), { recursive: true, force: true });
  }

  branches(repo_path: string, limit: number): Promise<string[]> {
    return this.tools.remotes.branches(repo_path, limit);
  }

  async branchExists(repo_path: string, branch: string): Promise<boolean> {
    await this.requireAllowed(repo_path);
    const repo = { repo_name: path.basename(repo_path), repo_path, target_branch: branch };
    if (await this.isKnown(repo)) return true;
    await this.tools.remotes.refresh(repo, { isFresh: true }); // it may have been pushed only now
    return this.isKnown(repo);
  }

  private async isKnown(repo: { repo_path: string; target_branch: string }): Promise<boolean> {
    const names = this.tools.remotes.targetRefs(repo).map(({ ref }) => ref);
    return firstOf(await readRefs(this.git, repo.repo_path, names), names) !== null;
  }

  prepare(workspace: Workspace): Promise<Record<string, string>> {
    return onDisk(async () => {
      for (const { repo_path } of workspace.repos) await this.requireAllowed(repo_path);
      return this.attempts.run(workspace.attempt_id, () => prepareWorkspace(this.tools, workspace));
    });
  }

  /** Checked again, because REPOSITORY_ROOTS or the repository may have changed. Clones are our own. */
  private async requireAllowed(repo_path: string): Promise<void> {
    if (this.isClone(repo_path)) return;
    await this.access.requireFolder(repo_path);
    const common = await commonDirIfThere(this.git, repo_path);
    if (common !== null) await this.access.requireFolder(common);
  }

  private isClone(repo_path: string): boolean {
    return path.dirname(repo_path) === this.paths.clones;
  }

  workingDirectory({ attempt_id, repos }: Workspace): string {
    const [repo, ...others] = repos;
    return repo && others.length === 0
      ? this.paths.worktree(attempt_id, repo.repo_name)
      : this.paths.attempt(attempt_id);
  }

  repositoryDirectory({ attempt_id }: Workspace, repo_name: string): string {
    return this.paths.worktree(attempt_id, repo_name);
  }

  ownFolders({ attempt_id }: Workspace): { work: string; agentState: string } {
    return { work: this.paths.attempt(attempt_id), agentState: this.paths.agentState(attempt_id) };
  }

  archiveAgentState({ attempt_id }: Workspace): Promise<{ archive: string }> {
    return archiveAgentState(this.paths.agentState(attempt_id), attempt_id);
  }

  confinement(workspace: Workspace): Promise<Confinement> {
    return confinementOf(this.git, this.paths, workspace);
  }

  checkSubjects(workspace: Workspace, options: SubjectOptions): Promise<CheckSubject[]> {
    return this.alone(workspace, () => this.deliveries.subjects(workspace, options));
  }

  checkOut(workspace: Workspace, wanted: WantedCheckout): Promise<CheckoutFolder> {
    return onDisk(() => this.deliveries.checkOut(workspace, wanted));
  }

  /** Away at once; whoever waits for the check does not wait for its files to go. */
  async discardCheckout(id: string): Promise<void> {
    const trash = await moveToTrash(this.paths, this.paths.checkout(id));
    const gone = this.empty(trash, 'files of a check are still on disk').finally(() => this.emptying.delete(gone));
    this.emptying.add(gone);
  }

  dispose(workspace: Workspace, options: DisposeOptions): Promise<void> {
    return this.alone(workspace, () => disposeWorkspace(this.tools, workspace, options));
  }

  async isDirty(workspace: Workspace): Promise<boolean> {
    const trees = await presentTrees(this.git, this.paths, workspace);
    const looks = await Promise.all(trees.map((tree) => lookAt(this.tools, tree, 'status')));
    return looks.some(({ isDirty }) => isDirty);
  }

  commit(workspace: Workspace, message: string): Promise<Record<string, string>> {
    return onDisk(async () => {
      const trees = await presentTrees(this.git, this.paths, workspace);
      const commitOf = (tree: (typeof trees)[number]) => commitWork(this.tools, tree, message);
      const commits = await Promise.all(trees.map(async (tree) => [tree.repo_name, await commitOf(tree)] as const));
      return Object.fromEntries(commits.filter((found): found is [string, string] => found[1] !== null));
    });
  }

  async refresh(workspace: Workspace): Promise<void> {
    const trees = await presentTrees(this.git, this.paths, workspace);
    await Promise.all(trees.map((tree) => refreshTree(this.tools, tree)));
  }

  snapshot(workspace: Workspace, options: SnapshotOptions): Promise<RepositorySnapshot[]> {
    return this.alone(workspace, async () => {
      const trees = await presentTrees(this.git, this.paths, workspace);
      return snapshotWorkspace(this.tools, workspace, trees, options);
    });
  }

  async forgetSaves(workspace: Workspace, saves: readonly RemoteSave[] | 'all'): Promise<void> {
    for (const repo of workspace.repos) {
      const one = saves === 'all' ? null : saves.find(({ repo_name }) => repo_name === repo.repo_name)?.remote;
      if (one !== undefined) await this.tools.saves.forget(workspace, repo, one);
    }
  }

  rebuild(workspace: Workspace, inheritance: Inheritance): Promise<Record<string, string>> {
    return this.alone(workspace, async () => {
      for (const { repo_path } of workspace.repos) await this.requireAllowed(repo_path);
      return rebuildWorkspace(this.tools, workspace, inheritance);
    });
  }

  async listAttempts(): Promise<string[]> {
    const names = await Promise.all([this.paths.root, this.paths.storeRoot].map((folder) => readdir(folder)));
    return [...new Set(names.flat())].filter((name) => UUID_PATTERN.test(name));
  }

  disposeStray(workspace: Workspace): Promise<void> {
    return this.alone(workspace, () => disposeStray(this.tools, workspace));
  }

  /** Removes what a crash left half removed; a failure does not prevent the start. */
  async onApplicationBootstrap(): Promise<void> {
    if (!(await this.paths.areThere())) return; // nothing was ever created here, as with ROLE=api
    // the folder of lenses stays, as it may be mounted into another container
    const lenses = (await readdir(this.paths.lenses)).map((name) => path.join(this.paths.lenses, name));
    for (const folder of [this.paths.trashRoot, this.paths.checkouts, ...lenses])
      await this.empty(folder, 'what a crash left behind is still on disk');
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.git.stopAll(), this.tools.inside.stopAll(), ...this.emptying]);
  }

  private empty(trash: string | null, failed: string): Promise<void> {
    return emptyTrash(trash).catch((error: unknown) => this.logger.warn({ err: error }, failed));
  }
}
