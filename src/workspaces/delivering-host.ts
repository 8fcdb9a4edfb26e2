import type { Checkout, Landing } from '../git/landing.js';
import type { KeyedLimit } from '../git/limits.js';
import type {
  BranchUpdate,
  DeliveryHost,
  Fetching,
  LandingMove,
  LandingWork,
  PushedBranch,
  PushWork,
  RepoStanding,
  TargetTip,
  UpdateWork,
  WorkCommit,
} from './delivery-host.js';
import { onDisk } from './workspace-tools.js';
import type { Workspace } from './workspace-paths.js';

/** Calls that write in the worktrees of an attempt queue up; those that only read or push do not. */
export abstract class DeliveringHost implements DeliveryHost {
  protected abstract readonly deliveries: DeliveryHost;
  protected abstract readonly attempts: KeyedLimit;

  standing(workspace: Workspace, fetching?: Fetching, commit?: WorkCommit): Promise<RepoStanding[]> {
    return onDisk(() => this.deliveries.standing(workspace, fetching, commit));
  }

  wouldConflict(workspace: Workspace): Promise<boolean> {
    return onDisk(() => this.deliveries.wouldConflict(workspace));
  }

  push(workspace: Workspace, work: PushWork): Promise<PushedBranch> {
    return onDisk(() => this.deliveries.push(workspace, work));
  }

  pushedBranch(workspace: Workspace, repo_name: string): Promise<{ remote: string; commit: string } | null> {
    return onDisk(() => this.deliveries.pushedBranch(workspace, repo_name));
  }

  remoteOf(workspace: Workspace, repo_name: string): Promise<{ remote: string; url: string }> {
    return this.deliveries.remoteOf(workspace, repo_name);
  }

  heads(workspace: Workspace): Promise<{ repo_name: string; head: string }[]> {
    return this.deliveries.heads(workspace);
  }

  makeLanding(workspace: Workspace, work: LandingWork): Promise<string> {
    return this.alone(workspace, () => this.deliveries.makeLanding(workspace, work));
  }

  land(workspace: Workspace, move: LandingMove): Promise<Landing> {
    return onDisk(() => this.deliveries.land(workspace, move));
  }

  checkout(workspace: Workspace, repo_name: string): Promise<Checkout | null> {
    return this.deliveries.checkout(workspace, repo_name);
  }

  targetTip(workspace: Workspace, repo_name: string, commit: string): Promise<TargetTip> {
    return this.deliveries.targetTip(workspace, repo_name, commit);
  }

  anchor(workspace: Workspace, repo_name: string, commit: string): Promise<string> {
    return this.alone(workspace, () => this.deliveries.anchor(workspace, repo_name, commit));
  }

  updateBranch(workspace: Workspace, options: UpdateWork): Promise<BranchUpdate> {
    return this.alone(workspace, () => this.deliveries.updateBranch(workspace, options));
  }

  continueUpdate(workspace: Workspace, options: { repo_name: string; onto: string | null }): Promise<BranchUpdate> {
    return this.alone(workspace, () => this.deliveries.continueUpdate(workspace, options));
  }

  abortUpdate(workspace: Workspace, repo_name: string): Promise<BranchUpdate> {
    return this.alone(workspace, () => this.deliveries.abortUpdate(workspace, repo_name));
  }

  renameBranch(workspace: Workspace, branch: string): Promise<void> {
    return this.alone(workspace, () => this.deliveries.renameBranch(workspace, branch));
  }

  protected alone<T>({ attempt_id }: Workspace, work: () => Promise<T>): Promise<T> {
    return onDisk(() => this.attempts.run(attempt_id, work));
  }
}
