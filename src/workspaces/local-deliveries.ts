import { type Checkout, findCheckout, land, type Landing } from '../platform/git/landing.js';
import { commitOf, isAncestor } from '../platform/git/refs.js';
import { locationEnvironment } from '../platform/git/worktree-pointer.js';
import type {
  BranchUpdate,
  DeliveryHost,
  LandingMove,
  LandingWork,
  RepoStanding,
  UpdateMethod,
} from './delivery-host.js';
import { makeLanding } from './make-landing.js';
import { renameBranch } from './rename-branch.js';
import { endsOf, standingOf } from './standing.js';
import { branchUnknown, locateTrees } from './trees.js';
import { abortUpdate, continueUpdate, type Place, startUpdate } from './update-branch.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Deliveries from worktrees of this machine. Whoever calls sees to it that one call at a time works on an attempt. */
export class LocalDeliveries implements DeliveryHost {
  constructor(private readonly tools: WorkspaceTools) {}

  async standing(workspace: Workspace): Promise<RepoStanding[]> {
    const places = await this.places(workspace);
    return Promise.all(places.map(({ repo, tree }) => standingOf(this.tools.git, workspace, repo, tree)));
  }

  async makeLanding(workspace: Workspace, work: LandingWork): Promise<string> {
    const { repo, tree } = await this.place(workspace, work.repo_name);
    return makeLanding(this.tools.git, repo, tree, work);
  }

  async land(workspace: Workspace, { repo_name, from, to, with_checkout }: LandingMove): Promise<Landing> {
    const { git, repositories } = this.tools;
    const { repo, tree } = await this.place(workspace, repo_name);
    const { target } = await endsOf(git, workspace, repo, tree);
    if (target === null) throw await branchUnknown(git, repo);
    const move = { ref: `refs/heads/${target.branch}`, from, to, withCheckout: with_checkout };
    return repositories.run(tree.common, () => land(git, repo.repo_path, tree.common, move));
  }

  async checkout(workspace: Workspace, repo_name: string): Promise<Checkout | null> {
    const { repo, tree } = await this.place(workspace, repo_name);
    return findCheckout(this.tools.git, repo.repo_path, tree.common, `refs/heads/${repo.target_branch}`);
  }

  async holds(workspace: Workspace, repo_name: string, commit: string): Promise<boolean> {
    const { repo, tree } = await this.place(workspace, repo_name);
    const { target } = await endsOf(this.tools.git, workspace, repo, tree);
    if (target === null || (await commitOf(this.tools.git, tree.dir, commit)) === null) return false;
    return isAncestor(this.tools.git, tree.dir, commit, target.commit, locationEnvironment(tree));
  }

  async anchor(workspace: Workspace, repo_name: string, commit: string): Promise<string> {
    const { git } = this.tools;
    const { tree } = await this.place(workspace, repo_name);
    const env = locationEnvironment(tree);
    await git.run(tree.dir, ['reset', '--keep', '--quiet', commit], { env, accept: [0, 128] });
    return (await commitOf(git, tree.dir, 'HEAD', env)) ?? commit;
  }

  async updateBranch(
    workspace: Workspace,
    { repo_name, method, target_branch }: { repo_name: string; method: UpdateMethod; target_branch?: string },
  ): Promise<BranchUpdate> {
    const place = await this.place(workspace, repo_name);
    const repo = target_branch === undefined ? place.repo : { ...place.repo, target_branch };
    return startUpdate(this.tools.git, { ...place, repo }, method);
  }

  async continueUpdate(
    workspace: Workspace,
    { repo_name, onto }: { repo_name: string; onto: string | null },
  ): Promise<BranchUpdate> {
    return continueUpdate(this.tools.git, await this.place(workspace, repo_name), onto);
  }

  async abortUpdate(workspace: Workspace, repo_name: string): Promise<BranchUpdate> {
    return abortUpdate(this.tools.git, await this.place(workspace, repo_name));
  }

  renameBranch(workspace: Workspace, branch: string): Promise<void> {
    return renameBranch(this.tools.git, workspace, branch);
  }

  private async places(workspace: Workspace): Promise<Place[]> {
    const trees = await locateTrees(this.tools.git, this.tools.paths, workspace);
    return workspace.repos.flatMap((repo, at) => {
      const tree = trees[at];
      return tree ? [{ workspace, repo, tree }] : [];
    });
  }

  private async place(workspace: Workspace, repo_name: string): Promise<Place> {
    const repos = workspace.repos.filter((repo) => repo.repo_name === repo_name);
    const [place] = await this.places({ ...workspace, repos });
    if (!place) throw new Error(`the attempt has no repository ${repo_name}`);
    return place;
  }
}
