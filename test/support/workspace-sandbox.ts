import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { gitEnvironment } from '../../src/config/child-environment.js';
import { Git } from '../../src/git/git.js';
import type { RemoteCredentials } from '../../src/git/remote-link.js';
import { LocalWorkspaceHost } from '../../src/workspaces/local-workspace-host.js';
import type { AccessSettings } from '../../src/workspaces/repository-access.js';
import type { DiffGuard } from '../../src/workspaces/artifact-host.js';
import type { Workspace } from '../../src/workspaces/workspace-host.js';
import { GitRepository, GitSandbox } from './git-repository.js';

export const wideGuard: DiffGuard = { max_files: 500, max_lines: 25_000, max_bytes: 52_428_800 };

/** A workspace host on a data folder of its own, beside the repositories of the test. */
export class WorkspaceSandbox extends GitSandbox {
  readonly dataDir: string;
  readonly host: LocalWorkspaceHost;

  /** @param options `within` shares the folder of another sandbox, which removes it */
  constructor(
    options: {
      git?: Git;
      dataDir?: string;
      within?: GitSandbox;
      access?: Partial<AccessSettings>;
      credentials?: RemoteCredentials;
      owner?: string;
    } = {},
  ) {
    super(options.within?.dir);
    this.dataDir = options.dataDir ?? this.path('data');
    const open = { HOST: '127.0.0.1', REPOSITORY_ROOTS: [], REPOSITORY_HOSTS: [], GIT_REMOTE_TIMEOUT_SECS: 120 };
    const settings = { DATA_DIR: this.dataDir, ...open, ...options.access };
    this.host = new LocalWorkspaceHost(settings, options.git ?? new Git(gitEnvironment()), options);
  }

  /** Not prepared yet; the name of a repository is the name of its folder. */
  workspace(repositories: readonly GitRepository[], target_branch = 'main'): Workspace {
    const attempt_id = randomUUID();
    const repos = repositories.map(({ dir }) => ({
      repo_name: path.basename(dir),
      repo_path: dir,
      target_branch,
      base_commit: null,
    }));
    return { attempt_id, branch: `ty/${attempt_id.slice(0, 8)}-work`, home: null, repos };
  }

  async prepare(workspace: Workspace): Promise<Workspace> {
    const bases = await this.host.prepare(workspace);
    return { ...workspace, repos: workspace.repos.map((repo) => ({ ...repo, base_commit: bases[repo.repo_name]! })) };
  }

  prepared(...repositories: GitRepository[]): Promise<Workspace> {
    return this.prepare(this.workspace(repositories));
  }

  /** The worktree, to be worked in as an agent does. */
  tree(workspace: Workspace, repo_name = workspace.repos[0]!.repo_name): GitRepository {
    return new GitRepository(this.host.repositoryDirectory(workspace, repo_name));
  }
}
