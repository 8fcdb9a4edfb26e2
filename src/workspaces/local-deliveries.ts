import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../platform/errors/app-error.js';
import { type Checkout, findCheckout, land, type Landing } from '../git/landing.js';
import { fetchBranch } from '../git/remote-refs.js';
import { commitOf, isAncestor, looseRefs } from '../git/refs.js';
import type {
  BranchUpdate,
  DeliveryHost,
  Fetching,
  LandingMove,
  LandingWork,
  PushedBranch,
  PushWork,
  RepoStanding,
  TargetPlace,
  TargetTip,
  UpdateWork,
  WorkCommit,
} from './delivery-host.js';
import type { CheckoutFolder, CheckSubject, SubjectOptions, WantedCheckout } from './check-host.js';
import { makeCheckout, subjectOf } from './checkouts.js';
import { takeIn } from './commit-work.js';
import { lookAt } from './look.js';
import { makeLanding } from './make-landing.js';
import { publish } from './publish.js';
import { renameBranch } from './rename-branch.js';
import { landOnRemote, pushAttemptBranch } from './push-branch.js';
import { endsOf, meetsConflict, type Place, standingOf, targetOf } from './standing.js';
import { branchUnknown, locateTrees, type Tree } from './trees.js';
import { abortUpdate, continueUpdate, startUpdate } from './update-branch.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Reading does not wait longer for a slow remote: the fetch continues, and the next read has its result. */
const LOOK_WAIT_MS = 5_000;

/** Deliveries from worktrees of this machine. The caller ensures that calls for one attempt run one at a time. */
export class LocalDeliveries implements DeliveryHost {
  constructor(private readonly tools: WorkspaceTools) {}

  async standing(workspace: Workspace, fetching: Fetching = 'no', commit?: WorkCommit): Promise<RepoStanding[]> {
    const places = await this.places(workspace);
    return Promise.all(
      places.map(async ({ repo, tree }) => {
        const fetch_error = await this.fetched(repo, fetching);
        const message = commit?.repo_names.includes(repo.repo_name) ? commit.message : null;
        const { look: _, ...standing } = await standingOf(this.tools, this.at(workspace, repo, tree), message);
        return { ...standing, fetch_error };
      }),
    );
  }

  async wouldConflict(workspace: Workspace): Promise<boolean> {
    const places = await this.places(workspace);
    return (await Promise.all(places.map((place) => meetsConflict(this.tools, place)))).includes(true);
  }

  async subjects(workspace: Workspace, options: SubjectOptions): Promise<CheckSubject[]> {
    return Promise.all((await this.places(workspace)).map((place) => subjectOf(this.tools, place, options)));
  }

  async checkOut(workspace: Workspace, wanted: WantedCheckout): Promise<CheckoutFolder> {
    return makeCheckout(this.tools, (await this.place(workspace, wanted.repo_name)).tree, wanted);
  }

  async makeLanding(workspace: Workspace, work: LandingWork): Promise<string> {
    const { repo, tree } = await this.place(workspace, work.repo_name);
    return makeLanding(this.tools, repo, tree, work);
  }

  async land(workspace: Workspace, landing: LandingMove): Promise<Landing> {
    const { git, repositories } = this.tools;
    const place = await this.place(workspace, landing.repo_name);
    const { repo, tree } = place;
    await this.requireTaken(tree, landing.to);
    const target = await this.landingTarget(place);
    if (target === null) throw await branchUnknown(git, repo);
    if (target.remote !== null) return landOnRemote(this.tools, place, target, landing);
    const { from, to, with_checkout: withCheckout } = landing;
    const move = { ref: `refs/heads/${target.branch}`, from, to, withCheckout };
    return repositories.run(tree.common, () => land(git, tree, move));
  }

  async push(workspace: Workspace, work: PushWork): Promise<PushedBranch> {
    const place = await this.place(workspace, work.repo_name);
    await this.requireTaken(place.tree, work.head);
    return pushAttemptBranch(this.tools, place, work);
  }

  async remoteOf(workspace: Workspace, repo_name: string): Promise<{ remote: string; url: string }> {
    const { repo } = await this.place(workspace, repo_name);
    const remote = await this.tools.remotes.remoteOf(repo);
    return { remote, url: await this.tools.remotes.links.url(repo, remote, 'push') };
  }

  async pushedBranch(workspace: Workspace, repo_name: string): Promise<{ remote: string; commit: string } | null> {
    const { git, remotes } = this.tools;
    const { repo } = await this.place(workspace, repo_name);
    const remote = await remotes.remoteOf(repo);
    const link = await remotes.links.open(repo, remote, 'fetch');
    const commit = await fetchBranch(git, repo.repo_path, link, workspace.branch);
    return commit === null ? null : { remote, commit };
  }

  async heads(workspace: Workspace): Promise<{ repo_name: string; head: string }[]> {
    const places = await this.places(workspace);
    return Promise.all(
      places.map(async (place) => ({
        repo_name: place.repo.repo_name,
        head: await this.headOf(place),
      })),
    );
  }

  async checkout(workspace: Workspace, repo_name: string): Promise<Checkout | null> {
    const { git } = this.tools;
    const { repo, tree, targets } = await this.place(workspace, repo_name);
    const local = targets.find(({ remote }) => remote === null);
    return local ? findCheckout(git, repo.repo_path, tree.common, local.ref) : null;
  }

  async targetTip(workspace: Workspace, repo_name: string, commit: string): Promise<TargetTip> {
    const { git, remotes } = this.tools;
    const { repo, tree } = await this.place(workspace, repo_name);
    await remotes.refresh(repo, { isFresh: true });
    const target = await targetOf(git, this.at(workspace, repo, tree));
    if (target === null) return { tip: null, holds: false };
    const isKnown = (await commitOf(git, tree.store, commit)) !== null;
    const holds = isKnown && (await isAncestor(git, tree.store, commit, target.commit));
    return { tip: target.commit, holds };
  }

  async anchor(workspace: Workspace, repo_name: string, commit: string): Promise<string> {
    const { tree } = await this.place(workspace, repo_name);
    const args = ['git', 'reset', '--keep', '--quiet', commit];
    return (await takeIn(this.tools, tree, { args, accept: [0, 128] })).head ?? commit;
  }

  async updateBranch(workspace: Workspace, work: UpdateWork): Promise<BranchUpdate> {
    const place = await this.place(workspace, work.repo_name);
    const { target_branch = place.repo.target_branch } = work;
    const repo = { ...place.repo, target_branch };
    await this.tools.remotes.refresh(repo, { isFresh: true });
    return this.shown(place, startUpdate(this.tools, this.at(workspace, repo, place.tree), work));
  }

  async continueUpdate(
    workspace: Workspace,
    { repo_name, onto }: { repo_name: string; onto: string | null },
  ): Promise<BranchUpdate> {
    const place = await this.place(workspace, repo_name);
    return this.shown(place, continueUpdate(this.tools, place, onto));
  }

  async abortUpdate(workspace: Workspace, repo_name: string): Promise<BranchUpdate> {
    const place = await this.place(workspace, repo_name);
    return this.shown(place, abortUpdate(this.tools, place));
  }

  async renameBranch(workspace: Workspace, branch: string): Promise<void> {
    return renameBranch(this.tools, await this.places(workspace), branch);
  }

  private async headOf(place: Place): Promise<string> {
    const { tools } = this;
    return (await endsOf(tools.git, place, await lookAt(tools, place.tree, 'refs'))).head;
  }

  /** The user sees where the branch is as soon as it is there. */
  private async shown({ tree }: Place, update: Promise<BranchUpdate>): Promise<BranchUpdate> {
    const done = await update;
    await publish(this.tools, tree);
    return done;
  }

  /** A commit of the attempt may be newer than the last look. */
  private async requireTaken(tree: Tree, commit: string): Promise<void> {
    if ((await commitOf(this.tools.git, tree.store, commit)) === null) await lookAt(this.tools, tree, 'refs');
  }

  private async fetched(repo: WorkspaceRepo, fetching: Fetching): Promise<string | null> {
    if (fetching === 'no') return null;
    const fetched = this.tools.remotes.refresh(repo, { isFresh: fetching !== 'try' });
    return fetching === 'must' ? fetched.then(() => null) : failureSoFar(fetched);
  }

  /** A local branch takes precedence over remote ones, and its file proves without git that it exists. */
  private async landingTarget(place: Place): Promise<Pick<TargetPlace, 'remote' | 'branch'> | null> {
    const local = place.targets[0];
    const isThere = local?.remote === null && (await looseRefs(place.repo.repo_path, [local.ref])).size > 0;
    return isThere ? local : targetOf(this.tools.git, place);
  }

  private at(workspace: Workspace, repo: WorkspaceRepo, tree: Tree): Place {
    return { workspace, repo, tree, targets: this.tools.remotes.targetRefs(repo) };
  }

  private async places(workspace: Workspace): Promise<Place[]> {
    const trees = await locateTrees(this.tools.git, this.tools.paths, workspace);
    return workspace.repos.flatMap((repo, at) => {
      const tree = trees[at];
      return tree ? [this.at(workspace, repo, tree)] : [];
    });
  }

  private async place(workspace: Workspace, repo_name: string): Promise<Place> {
    const repos = workspace.repos.filter((repo) => repo.repo_name === repo_name);
    const [place] = await this.places({ ...workspace, repos });
    if (!place) throw new Error(`the attempt has no repository ${repo_name}`);
    return place;
  }
}

/** Why the fetch has failed so far, or null. */
async function failureSoFar(fetched: Promise<void>): Promise<string | null> {
  const failure = fetched.then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error.message;
      throw error;
    },
  );
  const late = new AbortController();
  const slow = pause(LOOK_WAIT_MS, 'the remote has not answered yet', { signal: late.signal, ref: false });
  try {
    return await Promise.race([failure, slow]);
  } finally {
    late.abort();
    slow.catch(() => undefined); // its failure is reported by the next read
    failure.catch(() => undefined); // thrown above; one that comes later is met by the next look, which fetches again
  }
}
